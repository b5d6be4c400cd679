//! Times in messages: one byte with a mantissa and an exponent (RFC 3626 section 18.3).

use crate::kernel::Span;

/// A time `C (1 + a / 16) 2^b`, with `a` in the upper four bits and `b` in the lower ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emf(pub u8);

/// A sixteenth of `C`, which is 1/16 s.
const UNIT: Span = Span(3_906_250);
/// Values of the mantissa, and of the exponent.
const VALUES: u64 = 16;

impl Emf {
    /// The shortest time that is not below `span`, or the longest of all.
    pub fn of(span: Span) -> Emf {
        for exponent in 0..VALUES {
            let steps = span.0.div_ceil(UNIT.0 << exponent).max(VALUES);
            if steps < 2 * VALUES {
                return Emf(((steps - VALUES) << 4 | exponent) as u8);
            }
        }
        Emf(u8::MAX)
    }

    /// The time.
    pub fn span(self) -> Span {
        let (mantissa, exponent) = (u64::from(self.0 >> 4), self.0 & 15);
        Span((UNIT.0 * (VALUES + mantissa)) << exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn holding_times_of_the_rfc_are_exact() {
        // RFC 3626 section 18.3: 6 s (HELLO) and 15 s (TC) are 0x86 and 0xe7; 2 s, the interval, is 0x05.
        for (secs, code) in [(6, 0x86), (15, 0xe7), (2, 0x05)] {
            let span = Span::from_millis(1_000 * secs);
            assert_eq!((Emf::of(span), Emf(code).span()), (Emf(code), span));
        }
        assert_eq!((Emf::of(Span::ZERO), Emf::of(Span(u64::MAX))), (Emf(0), Emf(0xff)));
    }

    proptest! {
        #[test]
        fn code_is_the_least_that_is_long_enough(millis in 63u64..3_900_000) {
            let span = Span::from_millis(millis);
            let coded = Emf::of(span).span();
            prop_assert!(coded >= span);
            prop_assert!((0..=u8::MAX).map(|code| Emf(code).span()).all(|other| other < span || other >= coded));
        }
    }
}
