//! Parts that the calling program supplies: congestion controls, applications, routing protocols, queue disciplines, rate
//! controls and stacks. So a new part needs no change of the engine.

use crate::app::Traffic;
use crate::kernel::NodeId;
use crate::mac::rate::{RateControl, RateSetup};
use crate::net::link::{Discipline, QueueConfig};
use crate::net::routing::Routing;
use crate::scenario::{ExternalController, FlowSpec, RegisteredPart};
use crate::transport::{CongestionControl, Stack, StackKind, StackSetup};

/// A congestion control supplied from outside the engine.
pub type ExternalControl = Box<dyn CongestionControl + Send>;

/// An application supplied from outside the engine.
pub type ExternalSource = Box<dyn Traffic + Send>;

/// A routing protocol supplied from outside the engine.
pub type ExternalRouting = Box<dyn Routing + Send>;

/// A queue discipline supplied from outside the engine.
pub type ExternalQueue = Box<dyn Discipline + Send>;

/// A stack supplied from outside the engine.
pub type ExternalStack = Box<dyn Stack>;

/// A rate control supplied from outside the engine.
pub type ExternalRateControl = Box<dyn RateControl + Send>;

/// Builds the parts that a scenario names and the engine lacks.
pub trait Externals {
    /// The congestion control of a flow.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence.
    fn controller(&mut self, _flow: &FlowSpec, named: &ExternalController) -> Result<ExternalControl, String> {
        Err(unknown(&named.name))
    }

    /// The application of a flow.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence.
    fn source(&mut self, _flow: &FlowSpec, named: &RegisteredPart) -> Result<ExternalSource, String> {
        Err(unknown(&named.name))
    }

    /// The stack that carries a flow.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence.
    fn stack(&mut self, kind: StackKind, _setup: &StackSetup) -> Result<ExternalStack, String> {
        Err(kind.missing())
    }

    /// The routing protocol at a node.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence.
    fn routing(&mut self, _node: NodeId, named: &RegisteredPart) -> Result<ExternalRouting, String> {
        Err(unknown(&named.name))
    }

    /// The interface queue of a node, whose table is `config`.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence.
    fn queue(&mut self, _node: NodeId, named: &RegisteredPart, _config: &QueueConfig) -> Result<ExternalQueue, String> {
        Err(unknown(&named.name))
    }

    /// The rate control of a node, with what the engine's own are built from.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence.
    fn rate_control(
        &mut self,
        _node: NodeId,
        named: &ExternalController,
        _setup: &RateSetup,
    ) -> Result<ExternalRateControl, String> {
        Err(unknown(&named.name))
    }
}

/// A program that supplies no parts.
#[derive(Clone, Copy, Debug)]
pub struct NoExternals;

impl Externals for NoExternals {}

fn unknown(name: &str) -> String {
    format!("{name} is not part of the engine: only a program that supplies it can execute the run")
}
