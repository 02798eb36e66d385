//! Runs one leak check, named by its number; without a number lists them. `ctcheck` starts it, once per check.
//!
//! The C entry point is used because std is not instrumented by MemorySanitizer: walking `std::env::args` here would
//! already be reported.
#![cfg_attr(outpace_ct, no_main)]

#[cfg(not(outpace_ct))]
fn main() {
    eprintln!("leak-check: build it through `make ct`, which sets the taint engine");
    std::process::exit(2);
}

#[cfg(outpace_ct)]
// SAFETY: the name is the one the C runtime calls, with its signature.
#[unsafe(no_mangle)]
extern "C" fn main(count: core::ffi::c_int, arguments: *const *const u8) -> core::ffi::c_int {
    let checks = outpace::leaks::all();
    if count < 2 {
        for check in &checks {
            println!("{} {}", if check.planted { "planted" } else { "real" }, check.name);
        }
        return 0;
    }
    // SAFETY: the runtime passes `count` pointers to C strings.
    let digits = unsafe { core::ffi::CStr::from_ptr((*arguments.add(1)).cast()) }.to_bytes();
    let number = digits.iter().fold(0, |n, digit| 10 * n + usize::from(digit - b'0'));
    (checks[number].run)();
    0
}
