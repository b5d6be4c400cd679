//! The trait of traffic sources, as connections use it: supply and deadlines.

use crate::kernel::Time;
use auto_impl::auto_impl;
use std::fmt::Debug;

/// Segments handed to the transport at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// This many more.
    Segments(u32),
    /// Unlimited.
    Endless,
}

/// A source that supplies nothing: sessions do.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Traffic for Silent {
    fn on_start(&mut self, _now: Time) -> Supply {
        Supply::Segments(0)
    }

    fn on_deadline(&mut self, _now: Time) -> Supply {
        Supply::Segments(0)
    }

    fn on_stop(&mut self) {}

    fn deadline(&self) -> Option<Time> {
        None
    }
}

/// A source of traffic.
#[auto_impl(Box)]
pub trait Traffic: Debug {
    /// The flow starts. Called once.
    fn on_start(&mut self, now: Time) -> Supply;

    /// The time of [`Traffic::deadline`] is reached.
    fn on_deadline(&mut self, now: Time) -> Supply;

    /// The flow ends: the source supplies nothing more and has no deadline.
    fn on_stop(&mut self);

    /// When it supplies more, if that is known.
    fn deadline(&self) -> Option<Time>;
}
