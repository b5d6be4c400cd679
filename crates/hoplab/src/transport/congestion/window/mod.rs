//! The window of a controller, real (RFC 5681, ns-2) or counted (Linux): how it starts, grows and is cut by the profile.
//!
//! Controllers of every profile own a [`Window`]; those of Linux alone own a [`CountedWindow`], those of a
//! paper alone a [`RealWindow`].

pub(crate) mod counted;
pub(crate) mod operations;
pub(crate) mod real;

pub(crate) use counted::CountedWindow;
pub(crate) use operations::CongestionWindow;
pub(crate) use real::RealWindow;

use super::event::{Loss, NewAck};
use super::setup::Setup;
use crate::transport::rules::WindowKind;
use enum_dispatch::enum_dispatch;

/// A window by the rules of the profile.
#[enum_dispatch(CongestionWindow)]
#[derive(Clone, Debug)]
pub(crate) enum Window {
    Real(RealWindow),
    Counted(CountedWindow),
}

impl Window {
    /// Before the connection is established.
    pub(crate) fn new(setup: &Setup) -> Window {
        match setup.window_kind {
            WindowKind::Real => Window::Real(RealWindow::new(setup)),
            WindowKind::Counted => Window::Counted(CountedWindow::new(setup)),
        }
    }
}
