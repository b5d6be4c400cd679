//! The physical layer: which nodes receive a frame, when and with what power, and how overlapping frames are received.
//!
//! Rooms, each built on those before it: `propagation` (loss over distance), `neighbors` (receivers of each node),
//! `receiver` (the state of one radio), `errors` (corrupted frames), `reception` (overlapping frames), and `channel`
//! (frames on the air and their passage), which combines them as [`Medium`]. `links` replaces positions and propagation by a
//! table.
//!
//! # Source
//! ns-2.35 `channel.cc`, `wireless-phy.cc` and `mac-802_11.cc`; for cumulative interference IEEE 802.11b-1999 section
//! 18.4 and ns-3's `YansWifiPhy`.

mod channel;
mod config;
mod errors;
mod layer;
mod links;
mod neighbors;
pub mod propagation;
mod receiver;
mod reception;
mod replay;
pub(crate) mod standards;
mod survival;

pub use channel::{ArrivalProbe, Detection, Edge, Medium, NoProbe, Passage, SignalEnd, SignalStart, Switched};
pub use config::{Coherence, RadioConfig, RxModel};
pub use errors::{ErrorConfig, ErrorKind, ErrorScope, Errors, Memory, Noise, OfdmErrors, bit_error_rate};
pub(crate) use layer::by_rate;
pub use layer::{CcaRule, Phy};
pub use links::{Delivery, LinkChange, LinkTable, ListedReceiver, TooManyRows};
pub(crate) use neighbors::with_heights;
pub use neighbors::{Grid, Receiver, ReceiverIndex, sensing_range};
pub use propagation::{FadingKind, PropagationKind};
pub use receiver::{AccessWait, CcaReporting, NavRule, PhyIndication, Radio, Reception};
pub use reception::{Compiled, Cumulative, Impaired, Ofdm, Pairwise, Readable, ReceptionKind, SinrConfig};
pub use replay::play;
pub use standards::{
    AggregationLimits, Band, HT_FORMS, HT_MIXED, McsChannel, McsForm, McsRule, OfdmHeader, Plcp, Spaces, Standard,
    mcs_modes,
};
pub use survival::Survival;
