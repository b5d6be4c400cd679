//! Recoveries that the network notifies of failed routes.

mod atcp;
mod elfn;
mod tcp_f;

pub use atcp::Atcp;
pub use elfn::Elfn;
pub use tcp_f::TcpF;
