//! The interface between an observer of the engine's list and a scenario: its constants, and how it is built at each node.

use super::channel_observer::ChannelObserver;
use crate::kernel::RadioId;
use crate::mac::timing::Timing;
use std::sync::Arc;

/// A channel observer of the engine's list.
pub trait EngineObserver: ChannelObserver + Sized {
    /// Its page below `docs/protocols`, without ending.
    const PAGE: &'static str;

    /// Table of its constants; `()` for none.
    type Config;

    /// The observer before the run.
    fn build(config: &Self::Config, setup: &ObserverSetup<'_>) -> Self;
}

/// What the observer of a node is built from.
#[derive(Clone, Copy, Debug)]
pub struct ObserverSetup<'a> {
    /// Its radio.
    pub radio: RadioId,
    /// Times of its MAC.
    pub timing: &'a Arc<Timing>,
}
