//! Parts that only listen: they see frames and change none. One file per observer; the list below registers them.
//!
//! What they find out is asked for through [`ChannelView`], by assists at the same node and by senders that start there.

mod busy;
mod busy_time;
mod idle_gap;
mod winf;

pub use busy::Busy;
pub use busy_time::BusyTime;
pub use idle_gap::{IdleGap, IdleGapConfig};
pub use winf::{Overhead, Winf, WinfConfig, clean};

use super::timing::Timing;
use crate::kernel::{NodeId, Span, Time};
use crate::packet::{ChannelView, Frame, LinkEstimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// How a node came to see a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sent the frame; `now` is the start of transmission.
    Sent,
    /// It read the frame; `now` is the end of reception.
    Received,
}

/// A listener at one node's MAC.
pub trait ChannelObserver {
    /// A frame was sent or read by this node, whomever it is for.
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame);

    /// The medium has become busy: the radio follows a frame whose first bit has come.
    fn on_carrier(&mut self, _now: Time) {}

    /// The frame that the radio followed is over, read or not; the reservation that it may have made stands.
    fn on_idle(&mut self, _now: Time) {}

    /// Others have reserved the medium until `until`, which may be earlier than what was said before.
    fn on_reserved(&mut self, _now: Time, _until: Time) {}

    /// The node begins, or ceases, to wait for its turn with a frame to send.
    fn on_contending(&mut self, _now: Time, _is_waiting: bool) {}

    /// See [`ChannelView::busy`].
    fn busy(&self, _now: Time, _window: Span) -> Option<f64> {
        None
    }

    /// See [`ChannelView::link`].
    fn link(&self, _now: Time, _window: Span) -> Option<LinkEstimate> {
        None
    }

    /// See [`ChannelView::neighbors`].
    fn neighbors(&self, _now: Time, _window: Span) -> Option<u32> {
        None
    }

    /// What this node's next MAC ACK is to tell, in bytes per second; 0 for nothing.
    fn note(&self, _now: Time) -> u32 {
        0
    }
}

/// What an observer is made from.
#[derive(Clone, Copy, Debug)]
pub struct ObserverSetup<'a> {
    /// The node that listens.
    pub node: NodeId,
    /// Its MAC's times.
    pub timing: &'a Arc<Timing>,
    /// Parameters of rt-Winf.
    pub winf: &'a WinfConfig,
    /// Parameters of IdleGap.
    pub idle_gap: &'a IdleGapConfig,
}

macro_rules! observers {
    ($($(#[doc = $summary:literal])+ $name:ident: $Kind:ident($Type:ty) = $build:expr;)+) => {
        /// Names of the observers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum ObserverKind {
            $($(#[doc = $summary])+ $Kind,)+
        }

        /// Any observer.
        #[derive(Debug)]
        pub enum Observer {
            $($(#[doc = $summary])+ $Kind($Type),)+
            /// Given by the program that drives the engine.
            Custom(Box<dyn CustomObserver>),
        }

        impl Observer {
            /// Its name in scenarios.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Observer::$Kind(_) => stringify!($name),)+
                    Observer::Custom(_) => "custom",
                }
            }
        }

        impl ObserverKind {
            /// All observers, in the order of documentation.
            pub const ALL: &[ObserverKind] = &[$(ObserverKind::$Kind),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self {
                    $(ObserverKind::$Kind => stringify!($name),)+
                }
            }

            /// The observer, before the run.
            pub fn build(self, setup: &ObserverSetup<'_>) -> Observer {
                match self {
                    $(ObserverKind::$Kind => {
                        let build: fn(&ObserverSetup<'_>) -> $Type = $build;
                        Observer::$Kind(build(setup))
                    })+
                }
            }
        }

        macro_rules! dispatch {
            ($self_:expr, $observer:ident => $call:expr) => {
                match $self_ {
                    $(Observer::$Kind($observer) => $call,)+
                    Observer::Custom($observer) => $call,
                }
            };
        }
    };
}

observers! {
    /// how much of the time the medium is busy, and how many neighbors send
    busy: Busy(Box<Busy>) = |setup| Box::new(Busy::new(setup.node));
    /// rt-Winf: capacity and available bandwidth from exchanges of RTS, CTS, data and ACK
    winf: Winf(Box<Winf>) = |setup| Box::new(Winf::new(setup));
    /// IdleGap: the data rate times the idle share of time
    idle_gap: IdleGap(Box<IdleGap>) = |setup| Box::new(IdleGap::new(setup));
}

/// An observer from outside the engine.
pub trait CustomObserver: ChannelObserver + Debug + Send {}

impl<T: ChannelObserver + Debug + Send> CustomObserver for T {}

/// All who listen at one node; as a rule nobody.
#[derive(Debug, Default)]
pub struct Observers(Vec<Observer>);

impl Observers {
    /// One more.
    pub fn push(&mut self, observer: Observer) {
        self.0.push(observer);
    }

    /// Them, in order.
    pub fn kinds(&self) -> impl Iterator<Item = &Observer> {
        self.0.iter()
    }

    /// Whether nobody listens.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// See [`ChannelObserver::note`].
    pub fn note(&self, now: Time) -> u32 {
        self.0.iter().map(|observer| dispatch!(observer, one => one.note(now))).max().unwrap_or(0)
    }

    /// What each of them says of the node's links now, over the second before.
    pub fn links(&self, now: Time, window: Span) -> impl Iterator<Item = (&'static str, LinkEstimate)> + '_ {
        self.0.iter().filter_map(move |observer| {
            let link = dispatch!(observer, one => one.link(now, window))?;
            Some((observer.name(), link))
        })
    }

    /// See [`ChannelObserver::on_frame`].
    #[inline]
    pub fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        for observer in &mut self.0 {
            dispatch!(observer, one => one.on_frame(now, role, frame));
        }
    }

    /// See [`ChannelObserver::on_carrier`].
    pub fn on_carrier(&mut self, now: Time) {
        for observer in &mut self.0 {
            dispatch!(observer, one => one.on_carrier(now));
        }
    }

    /// See [`ChannelObserver::on_idle`].
    pub fn on_idle(&mut self, now: Time) {
        for observer in &mut self.0 {
            dispatch!(observer, one => one.on_idle(now));
        }
    }

    /// See [`ChannelObserver::on_reserved`].
    pub fn on_reserved(&mut self, now: Time, until: Time) {
        for observer in &mut self.0 {
            dispatch!(observer, one => one.on_reserved(now, until));
        }
    }

    /// See [`ChannelObserver::on_contending`].
    pub fn on_contending(&mut self, now: Time, is_waiting: bool) {
        for observer in &mut self.0 {
            dispatch!(observer, one => one.on_contending(now, is_waiting));
        }
    }
}

impl ChannelView for Observers {
    fn busy(&self, now: Time, window: Span) -> Option<f64> {
        self.0.iter().find_map(|observer| dispatch!(observer, one => one.busy(now, window)))
    }

    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        self.0.iter().find_map(|observer| dispatch!(observer, one => one.link(now, window)))
    }

    fn neighbors(&self, now: Time, window: Span) -> Option<u32> {
        self.0.iter().find_map(|observer| dispatch!(observer, one => one.neighbors(now, window)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;
    use crate::packet::FrameKind;

    #[test]
    fn who_counts_no_neighbors_leaves_the_question_to_the_next() {
        let timing = Arc::new(Timing::new(&MacConfig::default()));
        let (winf, idle_gap) = (&WinfConfig::default(), &IdleGapConfig::default());
        let setup = ObserverSetup { node: NodeId(0), timing: &timing, winf, idle_gap };
        let mut observers = Observers::default();
        for (kind, neighbors) in
            [(ObserverKind::Winf, None), (ObserverKind::IdleGap, None), (ObserverKind::Busy, Some(1))]
        {
            observers.push(kind.build(&setup));
            observers.on_frame(Time(1000), Role::Received, &Frame::blank(FrameKind::Rts, NodeId(1), NodeId(2)));
            assert_eq!(observers.neighbors(Time(1000), Span::from_millis(1000)), neighbors, "{kind:?}");
        }
    }
}
