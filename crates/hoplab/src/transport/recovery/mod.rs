//! Loss recovery: what is retransmitted, and when. One file per recovery; [`list`] registers them.

// First, since `enum_dispatch` must read a trait before the enums that implement it.
pub(crate) mod method;

mod go_back_n;
mod linux;
pub(crate) mod list;
mod muzha;
mod new_reno;
mod pulled_sack;
mod reno;
mod rfc6675;
mod routes;
mod sack;
mod sack1;
pub(crate) mod scoreboard;
mod timeout_only;
mod vegas;

pub use go_back_n::GoBackN;
pub use linux::Linux;
pub use list::{AnyRecovery, RecoveryKind};
pub use method::Recovery;
pub use muzha::Muzha;
pub use new_reno::NewReno;
pub use pulled_sack::PulledSack;
pub use reno::Reno;
pub use rfc6675::Rfc6675;
pub use routes::{Atcp, Elfn, TcpF};
pub use sack::Sack;
pub use sack1::Sack1;
pub use timeout_only::TimeoutOnly;
pub use vegas::Vegas;
