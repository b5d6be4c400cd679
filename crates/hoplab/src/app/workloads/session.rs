//! Sessions: what the two ends of some connections do in turn. A session decides from what has arrived; the world carries its
//! actions out.

use crate::kernel::{End, Span, Time};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What a session does at an end of one of its flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Index of the flow among those of the session.
    pub member: usize,
    /// The end that acts.
    pub end: End,
    /// What it does.
    pub act: Act,
}

/// What an end does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Opens the connection.
    Open,
    /// Supplies bytes; over UDP, a datagram.
    Supply(u64),
    /// Supplies no more.
    Close,
}

/// A client at the receiving end of its flows ([`End::Sink`]), and a server at the other.
pub trait Session: Debug {
    /// The session starts.
    fn on_start(&mut self, now: Time, out: &mut Vec<Action>);

    /// The time of [`Session::deadline`] has come.
    fn on_deadline(&mut self, now: Time, out: &mut Vec<Action>);

    /// When it acts by itself.
    fn deadline(&self) -> Option<Time>;

    /// `end` of a flow has received `total` bytes in order so far; of datagrams, this many distinct ones.
    fn on_arrival(&mut self, now: Time, member: usize, end: End, total: u64, out: &mut Vec<Action>);

    /// What it has measured up to now.
    fn report(&self, now: Time) -> SessionReport;
}

/// Measures of a session by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionReport {
    /// Times of what ended, and the number of what has not.
    pub times: BTreeMap<&'static str, Times>,
    /// Other numbers; sessions are averaged.
    pub values: BTreeMap<&'static str, f64>,
}

/// Times of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// In seconds, as they ended.
    pub secs: Vec<f64>,
    /// Number of those that have begun and not ended.
    pub unfinished: u64,
}

impl Times {
    /// One that has ended.
    pub fn add(&mut self, time: Span) {
        self.secs.push(time.secs());
    }
}

/// An action at a flow.
pub(super) fn at(member: usize, end: End, act: Act) -> Action {
    Action { member, end, act }
}
