//! Parts that only listen: they see frames and change none.

use crate::kernel::Time;
use crate::packet::Frame;

/// How a node came to see a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sent the frame; `now` is the start of transmission.
    Sent,
    /// It read the frame; `now` is the end of reception.
    Heard,
}

/// A listener at one node's MAC.
pub trait ChannelObserver {
    /// A frame was sent or read by this node.
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame);
}

/// The observers that a scenario can name.
#[derive(Debug, Default)]
pub enum Observer {
    /// Nobody listens.
    #[default]
    None,
    /// Given by the program that drives the engine.
    Custom(Box<dyn CustomObserver>),
}

/// An observer from outside the engine.
pub trait CustomObserver: ChannelObserver + std::fmt::Debug + Send {}

impl<T: ChannelObserver + std::fmt::Debug + Send> CustomObserver for T {}

impl ChannelObserver for Observer {
    #[inline]
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        match self {
            Observer::None => {}
            Observer::Custom(observer) => observer.on_frame(now, role, frame),
        }
    }
}
