//! The standards that `radio.standard` names: one file each, which holds a row, [`Standard`].
//!
//! The layers above ask a row for what they must know, and none of them names a standard: rows are private to this room. A new
//! amendment is a file, and a name in the list below.

mod a;
mod b;
mod g;
mod modes;
mod n;
mod standard;
#[cfg(test)]
pub(crate) mod testing;

pub use modes::{McsChannel, McsForm, mcs_modes};
pub use n::{HT_FORMS, HT_MIXED};
pub use standard::{AggregationLimits, Band, McsRule, OfdmHeader, Plcp, Spaces, Standard};

/// Makes the list from the names of the files.
macro_rules! standards {
    ($($file:ident,)+) => {
        impl Standard {
            /// All standards, in the order of documentation; the first one is the default.
            pub const ALL: &'static [&'static Standard] = &[$(&$file::STANDARD),+];
        }
    };
}

standards! {
    b,
    a,
    g,
    n,
}
