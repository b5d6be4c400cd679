//! Bit sets of small numbers: a few cache lines per node, where an entry per number would take hundreds.
//!
//! The crate `fixedbitset` does not make this smaller: it has no `retain`, which DSDV uses.

/// A set of numbers; its memory grows with the largest.
#[derive(Clone, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl BitSet {
    /// Whether a number is in the set.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / BITS).is_some_and(|word| word >> (number % BITS) & 1 != 0)
    }

    /// Inserts a number.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        if number / BITS >= self.words.len() {
            self.words.resize(number / BITS + 1, 0);
        }
        self.words[number / BITS] |= 1 << (number % BITS);
    }

    /// Removes a number.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / BITS) {
            *word &= !(1 << (number % BITS));
        }
    }

    /// Removes the numbers for which `stays` is false, in ascending order.
    pub fn retain(&mut self, mut stays: impl FnMut(usize) -> bool) {
        for (place, word) in self.words.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                if !stays(BITS * place + bit as usize) {
                    *word &= !(1 << bit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn bits_agree_with_ordered_set(steps in proptest::collection::vec((0usize..300, 0u8..3, 2usize..5), 0..60)) {
            let (mut bits, mut set) = (BitSet::default(), BTreeSet::new());
            for (number, step, divisor) in steps {
                match step {
                    0 => {
                        bits.insert(number);
                        set.insert(number);
                    }
                    1 => {
                        bits.remove(number);
                        set.remove(&number);
                    }
                    _ => {
                        let mut asked = Vec::new();
                        bits.retain(|number| {
                            asked.push(number);
                            number % divisor != 0
                        });
                        prop_assert!(asked.iter().eq(&set));
                        set.retain(|number| number % divisor != 0);
                    }
                }
                prop_assert!((0..400).all(|number| bits.contains(number) == set.contains(&number)));
            }
        }
    }
}
