//! The keys of a flow that describe its application, of all applications; each application states which of them it uses.

use crate::kernel::{Rate, Span};

/// Keys of `[[flow]]` that only some applications use; their documentation is there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the keys are documented at `FlowConfig`")]
pub struct AppKeys {
    pub rate: Option<Rate>,
    pub random: Option<bool>,
    pub on_mean: Option<Span>,
    pub off_mean: Option<Span>,
    pub talk_spurts: Option<bool>,
    pub interval: Option<Span>,
    pub samples: Option<u32>,
}

impl AppKeys {
    /// Names of the keys, in the order of documentation.
    pub const NAMES: [&str; 7] = ["rate", "random", "on_mean", "off_mean", "talk_spurts", "interval", "samples"];
}
