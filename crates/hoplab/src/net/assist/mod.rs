//! Routers that read their hop and stamp headers of passing packets.

use crate::kernel::Time;
use crate::packet::Packet;

/// Where a packet meets the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// It enters the interface queue; `queue_len` does not count it yet.
    Arrival,
    /// The MAC takes it; `queue_len` no longer counts it.
    Departure,
}

/// A router's part of a transport protocol, at one node. It may change feedback fields of a packet and nothing else.
pub trait RouterAssist {
    /// A packet meets the queue, of which `queue_len` packets wait.
    fn on_packet(&mut self, now: Time, at: At, packet: &mut Packet, queue_len: usize);
}

/// The assists that a scenario can name.
#[derive(Debug, Default)]
pub enum Assist {
    /// Packets pass untouched.
    #[default]
    None,
    /// Given by the program that drives the engine.
    Custom(Box<dyn CustomAssist>),
}

/// An assist from outside the engine.
pub trait CustomAssist: RouterAssist + std::fmt::Debug + Send {}

impl<T: RouterAssist + std::fmt::Debug + Send> CustomAssist for T {}

impl RouterAssist for Assist {
    #[inline]
    fn on_packet(&mut self, now: Time, at: At, packet: &mut Packet, queue_len: usize) {
        match self {
            Assist::None => {}
            Assist::Custom(assist) => assist.on_packet(now, at, packet, queue_len),
        }
    }
}
