//! What travels between the ends of a flow: senders, receivers, and what they decide.
//!
//! Sans-I/O: the time is an argument, packets go to an outbox. The tcb (sequence, timer) is apart from recovery
//! (what is sent again) and from congestion control (how much may be in flight); each of these is a folder, with a list
//! that registers its variants.

mod config;
pub mod congestion;
mod connection;
mod flow;
pub mod pacer;
pub mod proxy;
mod pull;
mod ranges;
mod rate_sender;
mod receiver;
pub mod recovery;
mod sender;
mod tcb;

pub use config::{NewRenoVariant, TcpConfig, TcpProfile};
pub use congestion::{CongestionConfig, CongestionControl, CongestionKind, Controller, Loss, LossSignal, NewAck};
pub use connection::udp::{UdpSink, UdpSource};
pub use connection::{Connection, Emit, End, FlowSpec, Protocol};
pub use flow::Flow;
pub use pacer::{PaceClock, PaceRules};
pub use pull::{AckQueue, OooAck, PullConfig};
pub use ranges::Ranges;
pub use rate_sender::{REF, RateSender, RcpSender};
pub use receiver::{Received, Receiver};
pub use recovery::scoreboard::Scoreboard;
pub use recovery::{AnyRecovery, Recovery, RecoveryKind};
pub use sender::{Parts, Sender};
pub use tcb::rtt::RttEstimator;
pub use tcb::send_log::{SendLog, TransmitHistory};
pub use tcb::{AckKind, Rules, SenderCounts, Tcb};
