//! What an end remembers: as sender, of its timers, of ECN.

use crate::kernel::{Span, Time};

/// The sending half of an end. Data begins at 1, after the SYN.
#[derive(Clone, Debug, Default)]
pub(super) struct Send {
    pub(super) una: u64,
    pub(super) nxt: u64,
    /// Bytes that the application has supplied.
    pub(super) supplied: u64,
    /// Whether a FIN follows them.
    pub(super) is_closed: bool,
    pub(super) fin_sent: bool,
    /// Window of the receiver, in bytes from `una`; the largest so far.
    pub(super) window: u64,
    pub(super) max_window: u64,
    /// Segment and acknowledgment that the window came with.
    pub(super) window_seq: u64,
    pub(super) window_ack: u64,
    /// End of the last segment shorter than the others (Minshall's variant of Nagle).
    pub(super) small_end: u64,
    pub(super) last_sent: Option<Time>,
    /// Since `usage_end` was sent: whether `cwnd` was the limit, and the most segments in flight.
    pub(super) is_limited: bool,
    pub(super) most: u32,
    pub(super) usage_end: u64,
    /// Pacing: when the next burst may leave, what is left of the present one, and by how much it was late.
    pub(super) next_burst: Time,
    pub(super) burst_left: u32,
    pub(super) lateness: Span,
    /// Segments with data sent so far, up to those that are not paced.
    pub(super) unpaced: u32,
    pub(super) has_lost: bool,
}

impl Send {
    /// Whether the application supplies without end.
    pub(super) fn is_endless(&self) -> bool {
        self.supplied >= u64::MAX / 2
    }

    /// Sequence number after the data supplied so far.
    pub(super) fn end(&self) -> u64 {
        self.supplied + 1
    }

    /// Whether data or a FIN waits.
    pub(super) fn waits(&self) -> bool {
        self.end() > self.nxt || self.is_closed && !self.fin_sent
    }

    /// Bytes from `nxt` to the right edge of the receiver's window.
    pub(super) fn room(&self) -> u64 {
        (self.una + self.window).saturating_sub(self.nxt)
    }
}

/// All timers of an end.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    pub(super) syn_at: Option<Time>,
    pub(super) syn_tries: u32,
    pub(super) syn_first: Time,
    pub(super) syn_sent: Time,
    pub(super) rto_at: Option<Time>,
    /// Timeouts since the last progress.
    pub(super) tries: u32,
    pub(super) rack_at: Option<Time>,
    pub(super) probe_at: Option<Time>,
    /// The tail loss probe under way: what was sent by then, and whether it was a repetition.
    pub(super) probe: Option<(u64, bool)>,
    pub(super) persist_at: Option<Time>,
    pub(super) persist_tries: u32,
    pub(super) pace_at: Option<Time>,
}

/// State of ECN at one end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    /// Whether this end offers ECN.
    pub(super) is_offered: bool,
    /// Whether both ends use it.
    pub(super) is_on: bool,
    /// Whether the receiver echoes the mark of each segment, not one until CWR (RFC 8257 section 3.2).
    pub(super) is_exact: bool,
    /// Receiver: a mark arrived, and no CWR since.
    pub(super) echoes: bool,
    /// Sender: the next new data says that the window was reduced.
    pub(super) owes_cwr: bool,
    /// Sender: no further reduction until this is acknowledged.
    pub(super) reduced_to: u64,
}

impl EcnState {
    /// Whether an arriving segment changes what a receiver of exact marks echoes.
    pub(super) fn changes(&self, is_marked: bool) -> bool {
        self.is_on && self.is_exact && self.echoes != is_marked
    }

    /// Whether segments without new data are ECT, too: with exact marks all are (RFC 8257 section 3.5 permits it for SYNs; Linux,
    /// `tcp_ecn_send`). A queue drops what it cannot mark, and a second SYN offers no ECN.
    pub(super) fn covers_all(&self, is_syn: bool) -> bool {
        self.is_exact && (self.is_on || is_syn)
    }

    /// A segment with data, or not, arrived at the receiver.
    pub(super) fn on_arrival(&mut self, is_marked: bool, has_cwr: bool) {
        if !self.is_on || self.is_exact {
            return;
        }
        if has_cwr {
            self.echoes = false;
        }
        if is_marked {
            self.echoes = true;
        }
    }
}

/// Why a connection ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abort {
    /// Too many retransmissions without an answer.
    Timeout,
    /// The same, or a SYN, and the network had reported that there is no route.
    Unreachable,
    /// The other end sent a reset.
    Reset,
}

impl Abort {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Abort::Timeout => "timeout",
            Abort::Unreachable => "unreachable",
            Abort::Reset => "reset",
        }
    }
}
