//! The end of a connection: FIN of each half, reset, abort.

use super::endpoint::{Endpoint, Phase, State};
use super::loss::InFlight;
use super::state::{Abort, Timers};
use crate::kernel::Time;
use crate::packet::TcpFlags;

impl Endpoint {
    /// The application supplies no more; a FIN follows the data. Of an endless supply, what was sent is all.
    pub fn close(&mut self, now: Time) {
        if self.snd.is_closed {
            return;
        }
        self.snd.is_closed = true;
        if self.snd.is_endless() {
            self.snd.supplied = self.snd.nxt.max(1) - 1;
        }
        match self.state {
            State::Listen => self.abort_silently(),
            State::SynSent if self.snd.supplied == 0 => self.abort_silently(),
            _ => self.push(now),
        }
        self.arm(now);
    }

    /// Ends the connection at once: the other end gets a reset, what is queued is discarded.
    pub fn abort(&mut self, now: Time) {
        if !matches!(self.state, State::Closed | State::Listen | State::SynSent | State::TimeWait) {
            let mut reset = self.header(now, TcpFlags::RST.with(TcpFlags::ACK), self.snd.nxt, 0);
            reset.window = 0;
            self.out.push(reset);
        }
        self.abort_silently();
    }

    /// Ends the connection without a word to the other end.
    pub(super) fn abort_silently(&mut self) {
        self.has_aborted = true;
        self.enter_closed();
    }

    /// A reset arrived.
    pub(super) fn on_reset(&mut self) {
        self.trouble = Some(Abort::Reset);
        self.abort_silently();
    }

    /// The network has no route to the other end. A connection that is not established is aborted; for others the report
    /// is a hint: they end after `data_retries` (RFC 1122 section 4.2.3.9).
    pub fn on_unreachable(&mut self) {
        if self.state == State::Closed || self.has_aborted {
            return;
        }
        self.trouble = Some(Abort::Unreachable);
        if self.state == State::SynSent {
            self.abort_silently();
        }
    }

    /// Why the connection was aborted, if it was.
    pub fn abort_cause(&self) -> Option<Abort> {
        self.has_aborted.then(|| self.trouble.unwrap_or(Abort::Timeout))
    }

    fn enter_closed(&mut self) {
        self.state = State::Closed;
        self.flight = InFlight::default();
        self.phase = Phase::Open;
        self.timers = Timers::default();
    }

    /// The FIN of this end leaves.
    pub(super) fn on_fin_sent(&mut self) {
        self.state = match self.state {
            State::CloseWait => State::LastAck,
            State::Established | State::SynReceived => State::FinWait1,
            state => state,
        };
    }

    /// The FIN of this end is acknowledged.
    pub(super) fn on_fin_acked(&mut self) {
        match self.state {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.state = State::TimeWait,
            State::LastAck => self.enter_closed(),
            _ => {}
        }
    }

    /// All data of the other end has arrived, and its FIN. The application of a receiver closes its own half.
    pub(super) fn on_fin(&mut self, now: Time) {
        self.state = match self.state {
            State::Established | State::SynReceived => State::CloseWait,
            State::FinWait1 => State::Closing,
            State::FinWait2 => State::TimeWait,
            state => state,
        };
        match self.state {
            State::CloseWait => self.close(now),
            State::TimeWait | State::Closing => self.send_ack(now),
            _ => {}
        }
    }
}
