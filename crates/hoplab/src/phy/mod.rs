//! The radio channel: loss over distance, which nodes receive a frame, and how overlapping frames are received.

mod channel;
mod config;
mod errors;
mod neighbors;
pub mod propagation;
mod receiver;
mod reception;

pub use channel::{
    AirtimeProbe, ArrivalCursor, Medium, NoProbe, PhyIndication, READ_RELEASE, Receiver, SIGNAL_ENDS, SIGNAL_STARTS,
    Switched,
};
pub use config::{Coherence, RadioConfig, RxModel};
pub use errors::{ErrorConfig, ErrorKind, ErrorScope, Errors, Memory, Noise, bit_error_rate};
pub use neighbors::{Grid, ReceiverIndex};
pub use propagation::PropagationKind;
pub use receiver::{AccessWait, Arrival, CcaReporting, NavRule, Radio, Reception};
pub use reception::{Readable, SinrConfig};
