//! The state of a station in a frame exchange, and its pending response (IEEE 802.11-1999 sections 9.2.5.4 to 9.2.8).
//!
//! A station is idle, waits SIFS, or has sent a frame. After an RTS it awaits a CTS, after a CTS data, after data an ACK; a
//! broadcast or an ACK ends with its airtime. A frame that needs a response may arrive while another one is awaited:
//! the response then follows that wait. ns-2.35: `Mac802_11::tx_state_`, `pktCTRL_`, `mhSend_`, `mhDefer_`.
//!
//! Timers: [`MacTimer::Response`] from the start of each frame of this station to the latest end of the response, or to
//! its own end; [`MacTimer::Sifs`] before a response, and before data after a CTS. Never both.

use crate::kernel::{RadioId, Span, Time, TimerId};
use crate::packet::Frame;
use crate::sim::{Ctx, Event, MacTimer};

/// A station's part in an exchange.
#[derive(Debug)]
pub(in crate::mac::dcf) struct Exchange {
    step: Step,
    /// Response that goes out before any other frame of the station.
    pub(in crate::mac::dcf) response: Response,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// No own frame is on the air, and none is awaited.
    Idle,
    /// SIFS runs before the response, or before data after a CTS.
    Sifs { timer: TimerId },
    /// An own frame is on the air, or a response to it is awaited.
    Sent { frame: SentFrame, timer: TimerId },
    /// That is over, and no timer runs: the station chooses what follows before anything else happens.
    Over,
}

/// The frame that the station has sent last in the current exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mac::dcf) enum SentFrame {
    /// RTS; a CTS is awaited.
    Rts,
    /// CTS; data are awaited.
    Cts {
        /// RA.
        to: RadioId,
        /// Order bit.
        order: bool,
    },
    /// CTS to itself; own data follow.
    SelfCts,
    /// Unicast data; an ACK is awaited.
    Data,
    /// A-MPDU; a Block Ack is awaited.
    Aggregate,
    /// Block Ack Request; a Block Ack is awaited.
    BlockAckRequest,
    /// Broadcast data.
    Broadcast,
    /// CF-End, with which an own TXOP ends.
    CfEnd,
    /// ACK or Block Ack.
    Ack {
        /// RA.
        to: RadioId,
    },
}

impl SentFrame {
    /// Whether a response is awaited by which an exchange of this station continues.
    pub(in crate::mac::dcf) fn is_answered(self) -> bool {
        matches!(self, SentFrame::Rts | SentFrame::Data | SentFrame::Aggregate | SentFrame::BlockAckRequest)
    }
}

/// A response that is owed: its transmission has not begun.
#[derive(Clone, Copy, Debug)]
pub(in crate::mac::dcf) enum Response {
    /// None.
    None,
    /// A CTS to this RTS. The handshake policy decides on it after SIFS.
    Cts { rts: Frame },
    /// This ACK or Block Ack.
    Ack(Frame),
}

impl Exchange {
    /// No exchange.
    pub(in crate::mac::dcf) fn new() -> Exchange {
        Exchange { step: Step::Idle, response: Response::None }
    }

    /// Whether no own frame is on the air and none is awaited: the station may count its backoff.
    #[inline]
    pub(in crate::mac::dcf) fn is_free(&self) -> bool {
        matches!(self.step, Step::Idle | Step::Sifs { .. })
    }

    /// Whether SIFS runs.
    #[inline]
    pub(in crate::mac::dcf) fn is_in_sifs(&self) -> bool {
        matches!(self.step, Step::Sifs { .. })
    }

    /// The frame that the station has sent last, if the exchange still depends on it.
    #[inline]
    pub(in crate::mac::dcf) fn sent(&self) -> Option<SentFrame> {
        if let Step::Sent { frame, .. } = self.step { Some(frame) } else { None }
    }

    /// Whether a response is owed whose transmission has not begun.
    #[inline]
    pub(in crate::mac::dcf) fn owes_response(&self) -> bool {
        !matches!(self.response, Response::None)
    }

    /// Whether a response is owed or on the air, or the data that follow a CTS are awaited.
    pub(in crate::mac::dcf) fn is_responding(&self) -> bool {
        self.owes_response() || matches!(self.sent(), Some(SentFrame::Cts { .. } | SentFrame::Ack { .. }))
    }

    /// Whether a packet of the layer above could be served: the station neither sends nor responds.
    pub(in crate::mac::dcf) fn is_open(&self) -> bool {
        !self.owes_response() && self.sent().is_none()
    }

    /// An own frame begins; `timeout` from now the wait for its response is over.
    pub(in crate::mac::dcf) fn send(&mut self, ctx: &mut Ctx, radio: RadioId, frame: SentFrame, timeout: Span) {
        debug_assert!(matches!(self.step, Step::Idle), "a frame begins when no timer of the exchange runs");
        let timer = ctx.events.schedule(ctx.now + timeout, Event::Mac { radio, timer: MacTimer::Response });
        self.step = Step::Sent { frame, timer };
    }

    /// SIFS begins.
    pub(in crate::mac::dcf) fn start_sifs(&mut self, ctx: &mut Ctx, radio: RadioId, sifs: Span) {
        debug_assert!(matches!(self.step, Step::Idle | Step::Over), "one timer of the exchange runs at a time");
        let timer = ctx.events.schedule(ctx.now + sifs, Event::Mac { radio, timer: MacTimer::Sifs });
        self.step = Step::Sifs { timer };
    }

    /// Returns the response that is owed, and clears it.
    pub(in crate::mac::dcf) fn take_response(&mut self) -> Response {
        std::mem::replace(&mut self.response, Response::None)
    }

    /// Whether a timer of the exchange runs.
    pub(in crate::mac::dcf) fn has_timer(&self) -> bool {
        matches!(self.step, Step::Sifs { .. } | Step::Sent { .. })
    }

    /// SIFS is over.
    pub(in crate::mac::dcf) fn on_sifs_over(&mut self) {
        debug_assert!(self.is_in_sifs());
        self.step = Step::Idle;
    }

    /// Extends the wait until then: its timer has fired while a frame is received.
    pub(in crate::mac::dcf) fn extend(&mut self, ctx: &mut Ctx, radio: RadioId, until: Time) {
        let Step::Sent { timer, .. } = &mut self.step else { unreachable!("a wait is extended while it lasts") };
        *timer = ctx.events.schedule(until, Event::Mac { radio, timer: MacTimer::Response });
    }

    /// The wait after the frame that was sent last is over. Returns that frame.
    pub(in crate::mac::dcf) fn on_timeout(&mut self) -> SentFrame {
        let Step::Sent { frame, .. } = self.step else { unreachable!("a response timer is cancelled with its wait") };
        self.step = Step::Over;
        frame
    }

    /// Ends SIFS, or the wait for a response, before its time.
    pub(in crate::mac::dcf) fn stop(&mut self, ctx: &mut Ctx) {
        self.step = match self.step {
            Step::Sifs { timer } => {
                ctx.events.cancel(timer);
                Step::Idle
            }
            Step::Sent { timer, .. } => {
                ctx.events.cancel(timer);
                Step::Over
            }
            step => step,
        };
    }

    /// What follows is chosen: the station is free unless it has begun SIFS.
    pub(in crate::mac::dcf) fn settle(&mut self) {
        debug_assert!(self.sent().is_none(), "a wait is settled when it is over");
        if matches!(self.step, Step::Over) {
            self.step = Step::Idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;

    const ME: RadioId = RadioId(1);
    const A: RadioId = RadioId(4);

    /// Time and type of the next event, and how many there are.
    fn pending(ctx: &Ctx) -> Option<(Time, Event, usize)> {
        ctx.events.peek().map(|(at, event)| (at, event, ctx.events.len()))
    }

    #[test]
    fn sent_frame_ends_with_its_timer() {
        let (mut ctx, mut exchange) = (Ctx::new(1, 0, 2), Exchange::new());
        exchange.send(&mut ctx, ME, SentFrame::Rts, Span(670));
        assert!(!exchange.is_free() && !exchange.is_responding() && !exchange.is_open());
        assert_eq!(pending(&ctx), Some((Time(670), Event::Mac { radio: ME, timer: MacTimer::Response }, 1)));
        assert_eq!(exchange.on_timeout(), SentFrame::Rts);
        assert!(!exchange.is_free(), "nothing is chosen yet");
        exchange.settle();
        assert!(exchange.is_free() && exchange.is_open());
    }

    #[test]
    fn stop_cancels_the_one_timer_that_runs() {
        let (mut ctx, mut exchange) = (Ctx::new(1, 0, 2), Exchange::new());
        exchange.start_sifs(&mut ctx, ME, Span(10));
        assert_eq!(pending(&ctx), Some((Time(10), Event::Mac { radio: ME, timer: MacTimer::Sifs }, 1)));
        assert!(exchange.is_in_sifs() && exchange.is_free());
        exchange.stop(&mut ctx);
        assert!(ctx.events.is_empty() && !exchange.is_in_sifs() && exchange.is_free());
        exchange.send(&mut ctx, ME, SentFrame::Data, Span(20));
        exchange.stop(&mut ctx);
        assert!(ctx.events.is_empty() && exchange.sent().is_none() && !exchange.is_free());
    }

    #[test]
    fn station_responds_from_sifs_to_the_end_of_its_ack() {
        let (mut ctx, mut exchange) = (Ctx::new(1, 0, 2), Exchange::new());
        exchange.response = Response::Cts { rts: Frame::blank(FrameKind::Rts, A, ME) };
        assert!(exchange.is_free() && exchange.is_responding() && !exchange.is_open());
        exchange.response = Response::None;
        for frame in [SentFrame::Cts { to: A, order: false }, SentFrame::Ack { to: A }] {
            exchange.send(&mut ctx, ME, frame, Span(20));
            assert!(exchange.is_responding() && !exchange.is_open(), "{frame:?}");
            exchange.stop(&mut ctx);
            exchange.settle();
            assert!(!exchange.is_responding() && exchange.is_open(), "{frame:?}");
        }
    }
}
