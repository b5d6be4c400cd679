//! The context of a run: clock, event queue, random streams, packets and trace.
//!
//! Every layer above receives a [`Ctx`] by reference; layers share nothing else. The life of a packet is counted in one
//! file, so that packet accounting is always balanced; the events of a run are one list.

mod context;
mod event;
mod live;
mod packet_life;
mod unreachable;

pub use context::Ctx;
pub use event::{
    AppTimer, Event, FeedbackTimer, LinkTimer, MacTimer, MeasureTimer, PhyTimer, ProxyTimer, RoutingTimer, WireTimer,
};
pub use live::{Arrival, Conversation, LiveTraffic, Quiet};
pub use unreachable::{Report, Reports};
