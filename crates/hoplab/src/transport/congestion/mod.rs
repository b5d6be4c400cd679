//! Congestion control: how much may be in flight. One file per controller; `list.rs` registers them.
//!
//! A controller sees events and keeps a window in segments. It knows no sequence, no timer and no packet in flight:
//! what is sent when, and what is sent again, is the business of the tcb and of recovery.

pub(super) mod bandwidth_based;
pub(super) mod control;
pub(super) mod delay_based;
pub(super) mod event;
pub(super) mod explicit;
pub(super) mod linux;
pub(super) mod list;
pub(super) mod loss_based;
pub(super) mod setup;
#[cfg(test)]
pub(super) mod testing;
pub(super) mod window;
pub(super) mod wireless;

pub use bandwidth_based::{Westwood, WestwoodConfig, WestwoodPlus, WestwoodPlusConfig};
pub use control::{CongestionControl, HeaderBytes};
pub use delay_based::{Compound, CompoundConfig, Vegas, VegasConfig, Veno, VenoConfig};
pub use event::{AckArrival, Loss, LossSignal, NewAck, Sending};
pub use explicit::{Muzha, Xcp, XcpB, XcpSender, XcpWinf};
pub use linux::{LinuxReno, LinuxVegas, LinuxVegasConfig};
pub use list::{CongestionConfig, CongestionKind, Controller};
pub use loss_based::{Bic, BicConfig, Cubic, CubicConfig, CubicForm, Reno, Tahoe};
pub use setup::{NoParameters, Setup};
pub use wireless::{SemiTcp, TcpAp, TcpApConfig, TcpApPreset};
