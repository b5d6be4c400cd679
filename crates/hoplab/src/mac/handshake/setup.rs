//! The interface between a policy of the engine's list and a scenario: its rules, and how it is built at each node.

use super::policy::HandshakePolicy;
use super::turn::Turn;
use crate::kernel::RadioId;
use crate::mac::timing::Timing;
use std::sync::Arc;

/// A handshake policy of the engine's list.
pub trait EngineHandshake: HandshakePolicy + Sized {
    /// Its page below `docs/protocols`, without ending.
    const PAGE: &'static str;

    /// Its rules, as the scenario gives them; `()` for none.
    type Rules;

    /// Times of a station with this policy: those of the setup, unless its frames are longer.
    fn timing(_rules: &Self::Rules, setup: &HandshakeSetup<'_>) -> Arc<Timing> {
        Arc::clone(setup.timing)
    }

    /// The policy before the run. `setup.timing` is what [`EngineHandshake::timing`] has returned.
    fn build(rules: &Self::Rules, setup: &HandshakeSetup<'_>) -> Self;
}

/// What the policy of a node is built from.
#[derive(Clone, Copy, Debug)]
pub struct HandshakeSetup<'a> {
    /// Its radio.
    pub radio: RadioId,
    /// Times of its MAC.
    pub timing: &'a Arc<Timing>,
    /// What one grant lets through: of the longest packets of the flows, one or an A-MPDU.
    pub turn: &'a Turn,
}
