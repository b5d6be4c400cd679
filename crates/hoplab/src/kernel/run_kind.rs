//! What takes part in a run, as a type: an option that is off costs nothing where the type says so.
//!
//! Most runs consist of plain stations, links, queues and senders. If each event asked for every option, such a run would pay
//! for all of them. So the path of an event is compiled for two kinds of runs, and the kind is chosen once per run
//! (`world::World`). Code for all runs is generic in its [`RunKind`]; what only some options need is compiled for [`AnyRun`]
//! alone, and reached through an `any` that is `None` in a plain run.

use std::fmt::Debug;

/// A kind of run.
pub trait RunKind: Copy + Debug + 'static {
    /// Whether no option takes part: see [`PlainRun`].
    const IS_PLAIN: bool;
}

/// Each node has one radio and a station with one access category, no TXOP, no windows of MPDUs, no rate control, no probes, no
/// observers, no reset of its NAV and the handshake of the standard. No packet is overheard, shown to feedback routers or
/// proxies, or sent over wires; no transport waits for a slot in a queue. No report of a missing route is due.
#[derive(Clone, Copy, Debug)]
pub struct PlainRun;

/// Whatever a scenario may say.
#[derive(Clone, Copy, Debug)]
pub struct AnyRun;

impl RunKind for PlainRun {
    const IS_PLAIN: bool = true;
}

impl RunKind for AnyRun {
    const IS_PLAIN: bool = false;
}
