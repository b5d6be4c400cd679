//! The transport layer: senders, receivers, proxies, and what they decide.
//!
//! Sans-I/O: time is an argument, packets go to an outbox. The TCB (sequence, timer) is separate from recovery
//! (what is retransmitted) and from congestion control (how much may be in flight); each of the two is a folder with a list
//! that registers its variants. [`rules`] has what the profiles differ in.

pub(crate) mod config;
pub mod congestion;
pub(crate) mod connection;
pub mod pacer;
pub mod proxy;
pub(crate) mod pull;
mod ranges;
mod rate_sender;
mod receiver;
pub mod recovery;
pub mod rules;
mod sender;
pub mod stream;
mod tcb;

pub use config::{NewRenoVariant, TcpConfig, TcpProfile};
pub use congestion::{
    CongestionConfig, CongestionControl, CongestionKind, Controller, CrossLayer, Loss, LossSignal, Needs, NewAck,
    RateSample, Repair, SenderState,
};
pub use connection::udp::{UdpSink, UdpSource};
pub use connection::{
    AdHocKind, Connection, Emit, End, Flow, FlowSpec, Protocol, Stack, StackKind, StackSent, StackSetup, StackState,
    Transfer,
};
pub use pacer::{PaceClock, PaceRules};
pub use pull::{AckQueue, OooAck, PullConfig, SACK_EVERY};
pub use ranges::Ranges;
pub use rate_sender::{REF, RateSender, RcpSender};
pub use receiver::{Received, Receiver};
pub use recovery::scoreboard::Scoreboard;
pub use recovery::{AnyRecovery, Recovery, RecoveryKind};
pub use sender::{Parts, Sender};
pub use stream::{Abort, StreamConfig};
pub use tcb::rtt::RttEstimator;
pub use tcb::rules::{Rules, SenderCounts};
pub use tcb::send_log::{SendLog, TransmitHistory};
pub use tcb::{AckKind, Tcb};
