//! Congestion control: how much may be in flight.
//!
//! One file per controller, in families by what they observe; [`list`] registers them. A controller receives events and
//! owns a window in segments ([`control`]). Sequence numbers, timers and packets in flight belong to the TCB, and what is
//! retransmitted to recovery.

pub(crate) mod bandwidth_based;
pub(crate) mod control;
pub(crate) mod cross_layer;
pub(crate) mod delay_based;
pub(crate) mod event;
pub(crate) mod explicit;
pub(crate) mod linux;
pub(crate) mod list;
pub(crate) mod loss_based;
pub(crate) mod setup;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod window;
pub(crate) mod wireless;

pub use bandwidth_based::{
    Bbr, Bbr3, Bbr3Config, BbrConfig, Westwood, WestwoodConfig, WestwoodPlus, WestwoodPlusConfig,
};
pub use control::{CongestionControl, FeedbackNeeds, HeaderBytes, Needs};
pub use cross_layer::{AckArrival, CrossLayer, Sending};
pub use delay_based::{
    Compound, CompoundConfig, Copa, CopaConfig, Ledbat, LedbatConfig, Vegas, VegasConfig, Veno, VenoConfig,
};
pub use event::{Loss, LossSignal, LostSegment, MarkResponse, NewAck, RateSample, Repair, SenderState};
pub use explicit::{Dctcp, DctcpConfig, Muzha, Xcp, XcpB, XcpSender, XcpWinf};
pub use linux::{LinuxCompound, LinuxReno, LinuxVegas, LinuxVegasConfig, LinuxVeno};
pub use list::{CongestionConfig, CongestionKind, Controller};
pub use loss_based::{Bic, BicConfig, Cubic, CubicConfig, CubicForm, Reno, Tahoe};
pub use setup::{NoParameters, Setup};
pub use wireless::{RateSource, SemiTcp, TcpAp, TcpApConfig, TcpApPreset};
