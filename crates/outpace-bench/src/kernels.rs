//! `outpace kernels`: what runs here, and what else could.

use crate::fail::Outcome;
use crate::model::PrimitiveKernels;
use crate::tier::{self, Tier};

/// The kernels of every primitive under the mask of this process.
pub fn list() -> Vec<PrimitiveKernels> {
    let describe = |(primitive, kernels): (&str, Vec<outpace::mask::Kernel>)| {
        let used = kernels.iter().position(outpace::mask::Kernel::preferable).expect("portable runs everywhere");
        let others = kernels.iter().enumerate().filter(|(i, kernel)| *i != used && kernel.available());
        PrimitiveKernels {
            primitive: primitive.to_owned(),
            used: kernels[used].name.to_owned(),
            others: others.map(|(_, kernel)| kernel.name.to_owned()).collect(),
        }
    };
    outpace::mask::kernels().into_iter().map(describe).collect()
}

pub fn run(tier: Option<Tier>) -> Outcome<()> {
    if let Some(tier) = tier {
        tier::mask_ours(tier)?;
    }
    let kernels = list();
    let width = |length: fn(&PrimitiveKernels) -> usize, title: &str| {
        kernels.iter().map(length).max().unwrap_or(0).max(title.len())
    };
    let primitives = width(|row| row.primitive.len(), "primitive");
    let used = width(|row| row.used.len(), "uses");
    println!("{:primitives$}  {:used$}  could also run", "primitive", "uses");
    for row in &kernels {
        println!("{:primitives$}  {:used$}  {}", row.primitive, row.used, row.others.join(", "));
    }
    Ok(())
}
