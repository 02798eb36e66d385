//! Message words put in order in memory, by scalar moves, three half rounds before the rows of vectors need them.
//!
//! To pick four words for a vector takes the vector pipes three operations, six a half round; to move them takes none. The
//! narrow stores must be in the cache when the wide load comes, hence the distance. There is room for the words of four
//! half rounds, eight each: the second word of each of its four G, and the first of each in the next half round, which are
//! added to row a before that is turned. After the last round come words of the next block.

use super::SIGMA;

/// Which word of its block goes to place `k` of half round `h` of `rounds` rounds.
pub(super) const fn word(rounds: usize, h: usize, k: usize) -> usize {
    let (h, last) = (h % (2 * rounds), 2 * rounds - 1);
    let places = if h == last {
        [15, 9, 11, 13, 0, 2, 4, 6]
    } else if h % 2 == 1 {
        [15, 9, 11, 13, 6, 0, 2, 4]
    } else {
        [1, 3, 5, 7, 8, 10, 12, 14]
    };
    let round = if k < 4 { h / 2 } else { h.div_ceil(2) % rounds };
    SIGMA[round % 10][places[k]] as usize
}

/// 1 if that is a word of the next block.
pub(super) const fn next(rounds: usize, h: usize, k: usize) -> usize {
    (h >= 2 * rounds || h == 2 * rounds - 1 && k >= 4) as usize
}
