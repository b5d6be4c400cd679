//! What each node's time goes into, to the nanosecond.
//!
//! Where it is asked for, what is booked is read a second time: [`World::free`] is the share of a window in which a
//! node's air was free, that is, nothing was on it, reserved or waited for, and no DIFS after any of these ran.

use super::World;
use super::books::{Airtime, Seen};
use crate::kernel::{NodeId, Span, Time};
use crate::mac::Mac;
use crate::phy::Medium;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;

/// What a node's time can go into. The first that applies counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Use {
    /// The radio is switched off.
    Off,
    /// Sending data to a neighbor.
    Data,
    /// Sending a broadcast.
    Broadcast,
    /// Sending a request to send.
    Rts,
    /// Sending a clear to send.
    Cts,
    /// Sending an acknowledgment of the MAC.
    Ack,
    /// Receiving a frame that is for this node, or for everybody.
    Received,
    /// Hearing two frames that have destroyed each other.
    Collision,
    /// Hearing a frame that is for others, or energy that is no frame.
    Overheard,
    /// In the gaps of an exchange of the node's own: SIFS, and waiting for an answer.
    Exchange,
    /// Waiting after a frame that could not be read (EIFS).
    Eifs,
    /// Others have reserved the medium (NAV).
    Reserved,
    /// A packet is to be sent: DIFS, and the slots of the backoff.
    Backoff,
    /// A packet is held back for a neighbor's congestion.
    Parked,
    /// Nothing is on the air, and nothing is to be sent.
    Idle,
}

/// How many uses there are.
const USES: usize = 15;

/// One node's time, in nanoseconds, by use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent(pub [u64; USES]);

/// One node's time in the results, in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AirtimeReport {
    /// The node.
    pub node: u32,
    /// Seconds by use; see `docs/use/reference/trace.md`.
    #[serde(flatten)]
    pub spent: Spent,
}

impl Use {
    /// Whether the node's air is free: nobody uses it, and the node does not wait for it.
    pub fn is_free(self) -> bool {
        matches!(self, Use::Parked | Use::Idle)
    }

    /// All uses, in the order of their numbers.
    pub const ALL: [Use; USES] = [
        Use::Off,
        Use::Data,
        Use::Broadcast,
        Use::Rts,
        Use::Cts,
        Use::Ack,
        Use::Received,
        Use::Collision,
        Use::Overheard,
        Use::Exchange,
        Use::Eifs,
        Use::Reserved,
        Use::Backoff,
        Use::Parked,
        Use::Idle,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Use::Off => "off",
            Use::Data => "data",
            Use::Broadcast => "broadcast",
            Use::Rts => "rts",
            Use::Cts => "cts",
            Use::Ack => "ack",
            Use::Received => "received",
            Use::Collision => "collision",
            Use::Overheard => "overheard",
            Use::Exchange => "exchange",
            Use::Eifs => "eifs",
            Use::Reserved => "reserved",
            Use::Backoff => "backoff",
            Use::Parked => "parked",
            Use::Idle => "idle",
        }
    }
}

impl Spent {
    /// Time spent so.
    pub fn of(&self, what: Use) -> u64 {
        self.0[what as usize]
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl JsonSchema for Spent {
    fn schema_name() -> Cow<'static, str> {
        "Spent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let seconds = |what: Use| (what.name().to_owned(), json!({ "type": "number", "format": "double" }));
        let properties: serde_json::Map<_, _> = Use::ALL.into_iter().map(seconds).collect();
        let required: Vec<_> = Use::ALL.into_iter().map(Use::name).collect();
        json_schema!({ "type": "object", "properties": properties, "required": required })
    }
}

impl Serialize for Spent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Use::ALL.into_iter().map(|what| (what.name(), self.of(what) as f64 * 1e-9)))
    }
}

impl World {
    /// Accounts for every node's time from now on.
    pub fn keep_airtime(&mut self) {
        let now = self.now();
        self.airtime.get_or_insert_with(|| Box::new(Airtime::new(self.macs.len(), now)));
    }

    /// The same, and when each node's air was in use ([`World::free`]); from the beginning of the run.
    pub fn keep_air(&mut self) {
        self.keep_airtime();
        if let Some(airtime) = &mut self.airtime {
            airtime.keep_air(self.macs.iter().map(|mac| mac.timing().difs));
        }
    }

    /// Share of the last `window` in which a node's air was free; `None` without [`World::keep_air`].
    pub fn free(&self, node: NodeId, window: Span) -> Option<f64> {
        self.airtime.as_ref()?.free(self.seen(node), window)
    }

    /// What a node's time since [`World::keep_airtime`] went into.
    pub fn spent(&self, node: NodeId) -> Option<Spent> {
        Some(self.airtime.as_ref()?.of(self.seen(node)))
    }

    /// The same of all nodes, for the results; nothing if it was not asked for.
    pub(super) fn airtime_reports(&self) -> Vec<AirtimeReport> {
        let nodes = (0..self.macs.len() as u32).map(NodeId);
        nodes.filter_map(|node| Some(AirtimeReport { node: node.0, spent: self.spent(node)? })).collect()
    }

    /// To be called before anything changes at a node's radio or MAC.
    #[inline]
    pub(super) fn book(&mut self, node: NodeId) {
        if self.airtime.is_some() {
            self.book_asked(node);
        }
    }

    /// Away from the path of runs that nobody accounts for: the test alone is to stand there.
    #[cold]
    #[inline(never)]
    fn book_asked(&mut self, node: NodeId) {
        let World { ctx, medium, macs, airtime, .. } = self;
        if let Some(airtime) = airtime {
            airtime.on_action(ctx.now, node, || seen(ctx.now, node, medium, macs));
        }
    }

    fn seen(&self, node: NodeId) -> Seen<'_> {
        seen(self.now(), node, &self.medium, &self.macs)
    }

    /// A frame could not be read at a node whose reservation ended at `before` until then.
    pub(super) fn book_unreadable(&mut self, node: NodeId, before: Time) {
        if let Some(airtime) = &mut self.airtime {
            airtime.on_unreadable(self.ctx.now, node, self.medium.radio(node), before);
        }
    }
}

fn seen<'a>(now: Time, node: NodeId, medium: &'a Medium, macs: &'a [Mac]) -> Seen<'a> {
    Seen { now, node, radio: medium.radio(node), followed: medium.followed(node), macs }
}
