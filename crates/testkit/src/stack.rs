//! What code leaves on the stack.

use libc::c_void;

/// A stack to run code on and to look at afterwards.
#[derive(Debug)]
pub struct Stack(Vec<[u64; 512]>);

impl Default for Stack {
    fn default() -> Self {
        Self(vec![[0; 512]; 96])
    }
}

impl Stack {
    /// The two secrets of [`Self::secrets`].
    pub const SECRETS: [u8; 2] = [0x35, 0xca];

    /// Runs `body` on this stack, cleared before, and returns what is there afterwards.
    ///
    /// # Panics
    /// If the system gives no thread.
    pub fn run<F: FnOnce() + Send>(&mut self, body: F) -> &[u64] {
        extern "C" fn run<F: FnOnce()>(body: *mut c_void) -> *mut c_void {
            // SAFETY: the body below, which is waited for.
            if let Some(body) = unsafe { &mut *body.cast::<Option<F>>() }.take() {
                body();
            }
            std::ptr::null_mut()
        }
        self.0.fill([0; 512]);
        let mut body = Some(body);
        // SAFETY: the stack and the body outlive the thread, which has ended before they are looked at again.
        unsafe {
            let (mut attributes, mut thread) = (std::mem::zeroed(), std::mem::zeroed());
            assert_eq!(libc::pthread_attr_init(&raw mut attributes), 0);
            let start = self.0.as_mut_ptr().cast::<u8>();
            let skip = start.align_offset(4096);
            let len = (size_of_val(&self.0[..]) - skip) / 4096 * 4096;
            assert_eq!(libc::pthread_attr_setstack(&raw mut attributes, start.add(skip).cast(), len), 0);
            let argument = (&raw mut body).cast();
            assert_eq!(libc::pthread_create(&raw mut thread, &raw const attributes, run::<F>, argument), 0);
            assert_eq!(libc::pthread_join(thread, std::ptr::null_mut()), 0);
            libc::pthread_attr_destroy(&raw mut attributes);
        }
        self.0.as_flattened()
    }

    /// Words that `body` leaves on the stack and that depend on the secret: the same whenever that is the same, and others
    /// when it is another. With each, under both, its distance from where the stack begins, in words.
    ///
    /// `prepare` makes of a secret what `body` works on, elsewhere. What `public` says of it afterwards is no secret, nor are
    /// four bytes of it in either order.
    ///
    /// # Panics
    /// If the system gives no thread.
    pub fn secrets<I: Send>(
        &mut self,
        prepare: impl Fn(u8) -> I,
        body: impl Fn(&mut I) + Sync,
        public: impl Fn(&I) -> Vec<u8>,
    ) -> Vec<(usize, [u64; 2])> {
        let mut seen = [const { Vec::new() }; 2];
        let mut outputs = [const { Vec::new() }; 2];
        // In no regular order, so that nothing else changes with the secret, as addresses of the heap do; and first once each
        // for what a process does once.
        for (round, which) in [0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0].into_iter().enumerate() {
            let mut input = Box::new(prepare(Self::SECRETS[which]));
            let words = self.run(|| body(&mut input));
            if round < 2 {
                outputs[which] = public(&input);
            } else {
                seen[which].push(words.to_vec());
            }
        }
        let given_away = |bytes: &[u8], which: usize| {
            let output: &Vec<u8> = &outputs[which];
            output.windows(4).any(|four| four == bytes || four.iter().rev().eq(bytes))
        };
        let depends = |i: usize| {
            let [one, other] = seen.each_ref().map(|runs| runs[0][i].to_le_bytes());
            let steady = seen.iter().all(|runs| runs.iter().all(|run| run[i] == runs[0][i]));
            let secret = |half: &[u8], other: &[u8]| half != other && !(given_away(half, 0) && given_away(other, 1));
            steady && (secret(&one[..4], &other[..4]) || secret(&one[4..], &other[4..]))
        };
        let len = seen[0][0].len();
        (0..len).filter(|i| depends(*i)).map(|i| (len - i, seen.each_ref().map(|runs| runs[0][i]))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_left() {
        let secret = std::hint::black_box(0x0123_4567_89ab_cdef_u64);
        let mut stack = Stack::default();
        let left = stack.run(|| {
            std::hint::black_box([secret.wrapping_add(1); 50]);
        });
        assert!(left.contains(&secret.wrapping_add(1)) && !left.contains(&secret.wrapping_add(2)));
    }
}
