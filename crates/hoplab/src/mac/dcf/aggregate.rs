//! DCF, aggregation: what a station with A-MPDUs sends on its turn, and what follows Block Acks and their absence.
//!
//! The first packet in service decides the next hop. On its turn the station lays out MPDUs that were sent before, asks the
//! layer above for more packets to the same next hop ([`MacOut::Turn`]), and sends all as one PPDU; one MPDU alone is an
//! ordinary data frame with an ACK. Without a Block Ack it asks for one (IEEE 802.11-2016 section 10.24.7). Each access category
//! has a window of its own: an A-MPDU has MPDUs of one TID (section 10.13.1). Where a handshake policy decides on grants, control
//! packets are sent singly, outside of windows: a window may be parked.

use super::state::{Response, Retries, SentFrame, Service, TxopStep};
use super::station::Mac;
use crate::kernel::{RadioId, Time};
use crate::mac::aggregation::{Aggregation, AggregationRules, Agreement, Originator, Released, Room, Verdict};
use crate::mac::handshake::HandshakePolicy;
use crate::mac::rate::Outcome;
use crate::mac::timing::BLOCK_ACK_REQUEST_BYTES;
use crate::mac::{MacCtx, MacOut};
use crate::packet::aggregate::Sequence;
use crate::packet::{Category, Frame, FrameKind, Modulation, PacketId};
use crate::trace::{Loss, Step};

impl Mac {
    /// Aggregates packets from now on. Access categories come first ([`Mac::prioritize`]).
    pub fn aggregate(&mut self, rules: AggregationRules) {
        self.aggregation = Some(Box::new(Aggregation::new(rules)));
        if let Some(functions) = &mut self.functions {
            functions.aggregate(rules);
        }
    }

    /// What may join the A-MPDU that the station lays out, and of which access category.
    pub fn room(&self) -> Option<(Room, Category)> {
        let originator = &self.aggregation.as_ref()?.originator;
        let room = originator.room()?;
        let sent = if self.txop.goes_on() { self.outgoing.sent_in_turn } else { 0 };
        let is_full = !self.handshake.is_plain() && sent + originator.packets_laid_out() >= self.turn.packets();
        (!is_full).then(|| (room, self.service_frame().category))
    }

    /// A packet joins, within [`Mac::room`].
    pub fn join(&mut self, now: Time, packet: PacketId, bytes: u32) {
        self.originator().join(now, packet, bytes);
        let place = self.selected().map_or(0, |category| category as usize);
        self.pending[place] = self.pending[place].saturating_sub(1);
    }

    /// The copy of a packet is held until those before it have arrived.
    pub fn hold(&mut self, agreement: Agreement, seq: Sequence, copy: PacketId) {
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.recipients.hold(agreement, seq, copy);
        }
    }

    /// The next copy from a neighbor that is held no longer.
    pub fn next_free(&mut self, agreement: Agreement) -> Option<PacketId> {
        self.aggregation.as_mut()?.recipients.next_free(agreement)
    }

    /// Copies that are held.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.aggregation.iter().flat_map(|aggregation| aggregation.recipients.held())
    }

    /// Whether the packet in service is sent by the window of the originator.
    pub(super) fn has_window(&self) -> bool {
        self.aggregation.is_some() && self.outgoing.service.as_ref().is_some_and(|service| self.is_windowed(service))
    }

    /// Whether a packet of a station is sent by the window of its originator.
    pub(super) fn is_windowed(&self, service: &Service) -> bool {
        let is_outside = service.frame.is_broadcast() || (service.is_control && !self.handshake.is_plain());
        self.aggregation.is_some() && !is_outside
    }

    pub(super) fn originator(&mut self) -> &mut Originator {
        &mut self.aggregation.as_mut().expect("a station with aggregation").originator
    }

    /// The station's turn has come: sends a request, or lays out what was sent before, and asks for more.
    #[inline(never)]
    pub(super) fn take_turn(&mut self, cx: &mut MacCtx<'_>) {
        self.choose_rate(cx.ctx.now);
        let to = self.served();
        let now = cx.ctx.now;
        let out = &mut *cx.out;
        let before = out.len();
        self.originator().expire(now, &mut |gone| out.push(failure(to, gone)));
        if cx.out.len() > before {
            self.report_given_up_to(now, to);
        }
        if !self.originator().has_more() {
            self.end_service(cx);
            self.resume(cx);
        } else if self.originator().owes_request() {
            self.send_request(cx);
        } else {
            let limit = self.longest_psdu(now, self.service_frame().modulation);
            let is_alone = self.rates.as_ref().is_some_and(|rates| !rates.aggregates(to));
            self.originator().lay_out(limit, is_alone);
            let first = self.originator().laid_out();
            if self.has_time_for(now, &self.single(first)) {
                self.begin_turn();
                cx.out.push(MacOut::Turn);
            } else {
                self.end_burst(cx);
            }
        }
    }

    /// What joins has joined: sends it.
    pub fn on_filled(&mut self, cx: &mut MacCtx<'_>) {
        self.end_turn();
        let aggregate = cx.medium.aggregate_mut(self.radio);
        self.originator().write(aggregate);
        let [first, ..] = aggregate.mpdus() else { unreachable!("a turn without MPDU") };
        let (first, is_single) = (*first, aggregate.mpdus().len() == 1);
        let packet = aggregate.packets(&first)[0];
        let bytes = if is_single { first.bytes } else { aggregate.bytes() };
        let service = self.outgoing.service.as_mut().expect("a window in service");
        let frame = &mut service.frame;
        frame.kind = if is_single { FrameKind::Data } else { FrameKind::Aggregate };
        frame.bytes = bytes;
        frame.seq = first.seq.0;
        frame.retry = first.is_retry;
        frame.packet = Some(packet);
        frame.airtime = self.timing.airtime(frame.modulation, bytes);
        frame.duration = self.timing.answered_duration(frame);
        service.packet = packet;
        let modulation = frame.modulation;
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.originator.last = Some(modulation);
        }
        if !self.handshake.is_plain() {
            self.turn.follow(&self.timing, modulation);
        }
        let is_burst = self.txop.goes_on();
        let uses_rts = !is_burst && self.timing.uses_rts_for(bytes);
        service.is_short = !uses_rts;
        if service.uses_rts != uses_rts {
            service.uses_rts = uses_rts;
            service.next = service.first();
        }
        if is_burst {
            self.enter_exchange();
        }
        self.send_next(cx);
    }

    /// The ACK of one MPDU alone has arrived.
    pub(super) fn on_single_acknowledged(&mut self, cx: &mut MacCtx<'_>, ack: &Frame) {
        let out = &mut *cx.out;
        self.originator().on_ack(&mut |gone| out.push(MacOut::Sent { packet: gone.packet }));
        self.report_window(cx, 1, 0);
        self.note_window(cx, 1, 0);
        self.on_answered(cx, ack);
    }

    /// A Block Ack has arrived that was awaited.
    pub(super) fn on_block_ack(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let ack = cx.medium.aggregate(frame.ta).block_ack;
        let was_requested = self.exchange.sent() == Some(SentFrame::BlockAckRequest);
        let out = &mut *cx.out;
        let acked = self.originator().on_block_ack(&ack, &mut |gone| out.push(MacOut::Sent { packet: gone.packet }));
        if was_requested {
            self.originator().close_gap();
            if let Some(service) = &mut self.outgoing.service {
                service.next = service.first();
            }
        }
        let lost = self.originator().mpdus_laid_out().saturating_sub(acked);
        self.report_window(cx, acked, lost);
        self.note_window(cx, acked, lost);
        self.on_answered(cx, frame);
    }

    /// The exchange has succeeded: what is left contends again.
    fn on_answered(&mut self, cx: &mut MacCtx<'_>, answer: &Frame) {
        self.exchange.stop(cx.ctx);
        self.outgoing.retries = Retries::default();
        self.outgoing.revoke_grant();
        if !self.originator().has_more() {
            if !self.handshake.is_plain() {
                let by = self.served();
                self.handshake.on_acknowledged(cx.ctx.now, by, answer.order);
            }
            self.end_service(cx);
        }
        self.access.reset_cw();
        self.go_on(cx);
        self.resume(cx);
    }

    /// No Block Ack has arrived: asks for it, up to the limit of requests. A request counts as a single frame at the modulation of
    /// the data that it stands before, so that requests fall with the rate of the link.
    pub(super) fn on_block_ack_missing(&mut self, cx: &mut MacCtx<'_>, was_requested: bool) {
        self.outgoing.revoke_grant();
        if was_requested {
            let modulation = self.service_frame().modulation;
            self.report_attempt(cx, modulation, 0, 1);
            let own_limit = self.rates.as_ref().and_then(|rates| rates.attempts(self.served()));
            let limit = own_limit.unwrap_or(self.timing.config.ssrl);
            if self.originator().is_unanswered(limit) {
                self.give_up_window(cx, FrameKind::BlockAckRequest, Originator::give_up_sent);
                return;
            }
        } else {
            let lost = self.originator().mpdus_laid_out();
            self.report_window(cx, 0, lost);
            self.originator().await_request();
        }
        self.double_cw(cx);
    }

    /// One MPDU alone has not been acknowledged.
    pub(super) fn on_single_failed(&mut self, cx: &mut MacCtx<'_>) {
        self.report_window(cx, 0, 1);
        self.note_window(cx, 0, 1);
        let own_limit = self.rates.as_ref().and_then(|rates| rates.attempts(self.served()));
        let config = &self.timing.config;
        let is_short = self.outgoing.service.as_ref().is_some_and(|service| service.is_short);
        let limit = own_limit.unwrap_or(if is_short { config.ssrl } else { config.slrl });
        if self.outgoing.retries.fail(is_short, limit) {
            self.give_up_window(cx, FrameKind::Data, Originator::give_up_laid_out);
        } else {
            self.outgoing.revoke_grant();
            self.double_cw(cx);
        }
    }

    /// Gives up MPDUs of the window, as frames of type `unanswered` have reached their limit.
    pub(super) fn give_up_window(
        &mut self,
        cx: &mut MacCtx<'_>,
        unanswered: FrameKind,
        which: fn(&mut Originator, &mut dyn FnMut(Released)),
    ) {
        let data = *self.service_frame();
        let MacCtx { ctx, out, .. } = cx;
        which(self.originator(), &mut |gone| {
            ctx.retry_limit(unanswered, &data, gone.packet);
            out.push(failure(data.ra, gone));
        });
        self.report_given_up_to(cx.ctx.now, data.ra);
        self.handshake.on_failed(data.ra);
        self.access.reset_cw();
        self.outgoing.revoke_grant();
        if !self.originator().has_more() {
            self.end_service(cx);
        }
        self.draw_if_off(cx);
    }

    /// Nothing is left for the neighbor in service.
    fn end_service(&mut self, cx: &mut MacCtx<'_>) {
        self.outgoing.service = None;
        self.note_service(cx.ctx.now, false);
    }

    /// Asks the neighbor in service for its window (IEEE 802.11-2016 section 9.3.1.8).
    fn send_request(&mut self, cx: &mut MacCtx<'_>) {
        let data = *self.service_frame();
        let modulation = self.timing.response_mode(data.modulation);
        let request = Frame {
            bytes: BLOCK_ACK_REQUEST_BYTES,
            airtime: self.timing.airtime(modulation, BLOCK_ACK_REQUEST_BYTES),
            modulation,
            seq: self.originator().start().0,
            category: data.category,
            ..Frame::blank(FrameKind::BlockAckRequest, self.radio, data.ra)
        };
        let request = Frame { duration: self.timing.answered_duration(&request), ..request };
        if !self.has_time_for(cx.ctx.now, &request) {
            self.end_burst(cx);
            return;
        }
        self.txop.enter(if self.txop.is_in_first() { TxopStep::First } else { TxopStep::Later });
        let timeout = self.timing.data_timeout(request.airtime, modulation);
        self.transmit(cx, SentFrame::BlockAckRequest, request, timeout);
    }

    /// An A-MPDU has arrived, of which one MPDU at least was decoded.
    pub(super) fn on_aggregate(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let read = cx.medium.read_mpdus(self.radio);
        let count = cx.medium.aggregate(frame.ta).mpdus().len();
        if !self.answers_in_block(cx, frame) {
            return;
        }
        for index in (0..count).filter(|index| read >> index & 1 == 1) {
            self.take_mpdu(cx, frame, index);
        }
        self.write_block_ack(cx, frame);
        self.settle_answer(cx);
    }

    /// A request for the window of its sender has arrived.
    pub(super) fn on_block_ack_request(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        let Some(aggregation) = &mut self.aggregation else { return };
        if aggregation.recipients.begin_at(agreement_of(frame), Sequence(frame.seq)) {
            cx.out.push(MacOut::Released { from: frame.ta, category: frame.category });
        }
        if self.answers_in_block(cx, frame) {
            self.write_block_ack(cx, frame);
            self.settle_answer(cx);
        }
    }

    /// One MPDU alone has arrived.
    pub(super) fn on_single(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) {
        self.take_mpdu(cx, frame, 0);
    }

    /// Owes a Block Ack, unless another response precedes it.
    fn answers_in_block(&mut self, cx: &mut MacCtx<'_>, frame: &Frame) -> bool {
        let is_granted = matches!(self.exchange.sent(), Some(SentFrame::Cts { .. }));
        if self.aggregation.is_none() || (self.exchange.is_responding() && !is_granted) {
            self.note_loss(cx, frame, Loss::Busy);
            return false;
        }
        if self.exchange.sent() == Some(SentFrame::Cts { to: frame.ta, order: true }) {
            cx.ctx.step(self.radio, Step::Resolved, frame.ta);
        }
        let modulation = self.timing.response_mode(frame.modulation);
        let bytes = self.timing.block_ack_bytes;
        let airtime = self.timing.airtime(modulation, bytes);
        self.exchange.response = Response::Ack(Frame {
            bytes,
            airtime,
            modulation,
            duration: self.timing.ack_duration(frame.duration, airtime),
            category: frame.category,
            order: !is_granted,
            note: self.observers.note(cx.ctx.now),
            ..Frame::blank(FrameKind::BlockAck, self.radio, frame.ta)
        });
        true
    }

    /// Begins SIFS before the response, unless a response to an own frame is awaited.
    fn settle_answer(&mut self, cx: &mut MacCtx<'_>) {
        if matches!(self.exchange.sent(), Some(SentFrame::Cts { .. }) | None) {
            self.exchange.stop(cx.ctx);
            self.resume(cx);
        }
    }

    fn write_block_ack(&mut self, cx: &mut MacCtx<'_>, answered: &Frame) {
        if let Some(aggregation) = &mut self.aggregation {
            let block_ack = aggregation.recipients.block_ack(agreement_of(answered));
            cx.medium.aggregate_mut(self.radio).block_ack = block_ack;
        }
    }

    /// An MPDU of the sender's last PPDU was decoded: its packets go up, or are held.
    fn take_mpdu(&mut self, cx: &mut MacCtx<'_>, frame: &Frame, index: usize) {
        let Some(aggregation) = &mut self.aggregation else { return };
        let (from, category) = (frame.ta, frame.category);
        let mpdu = cx.medium.aggregate(from).mpdus()[index];
        let (verdict, has_free) = if aggregation.originator.rules().has_agreement() {
            aggregation.recipients.receive(agreement_of(frame), mpdu.seq)
        } else {
            let single = Frame { seq: mpdu.seq.0, retry: mpdu.is_retry, ..*frame };
            let is_duplicate = self.duplicates.is_duplicate(&single, self.timing.rules.duplicate_has_retry_bit);
            (if is_duplicate { Verdict::Duplicate } else { Verdict::InOrder }, false)
        };
        for place in 0..cx.medium.aggregate(from).packets(&mpdu).len() {
            let packet = cx.medium.aggregate(from).packets(&mpdu)[place];
            match verdict {
                Verdict::InOrder => self.accept(cx, packet, from),
                Verdict::Held => {
                    self.note_accepted(cx, packet, from);
                    cx.out.push(MacOut::Held { packet, from, category, seq: mpdu.seq });
                }
                Verdict::Duplicate => self.note_loss(cx, frame, Loss::Duplicate),
            }
        }
        if has_free {
            cx.out.push(MacOut::Released { from, category });
        }
    }

    /// The data frame of one MPDU of so many bytes.
    fn single(&self, bytes: u32) -> Frame {
        let data = self.service_frame();
        let airtime = self.timing.airtime(data.modulation, bytes);
        Frame { kind: FrameKind::Data, bytes, airtime, ..*data }
    }

    fn served(&self) -> RadioId {
        self.service_frame().ra
    }

    pub(super) fn service_frame(&self) -> &Frame {
        &self.outgoing.service.as_ref().expect("a window in service").frame
    }

    /// Reports to the rate control how many MPDUs of the last PPDU have been acknowledged.
    fn report_window(&mut self, cx: &MacCtx<'_>, acked: u32, lost: u32) {
        let Some(service) = &self.outgoing.service else { return };
        let last = self.aggregation.as_ref().and_then(|aggregation| aggregation.originator.last);
        self.report_attempt(cx, last.unwrap_or(service.frame.modulation), acked, lost);
    }

    fn report_attempt(&mut self, cx: &MacCtx<'_>, modulation: Modulation, acked: u32, lost: u32) {
        let (Some(rates), Some(service)) = (&mut self.rates, &mut self.outgoing.service) else { return };
        let to = service.frame.ra;
        service.attempts = if acked > 0 { 0 } else { service.attempts + 1 };
        let ratio = if acked > 0 { cx.medium.last_ratio(to) } else { 0.0 };
        rates.on_result(cx.ctx.now, to, &Outcome { modulation, acked, lost, ratio });
    }

    /// Shows observers what an acknowledgment says, or that a single MPDU has none.
    fn note_window(&mut self, cx: &MacCtx<'_>, acked: u32, lost: u32) {
        let to = self.outgoing.service.as_ref().map(|service| service.frame.ra);
        if let Some(to) = to.filter(|_| !self.observers.is_empty()) {
            self.observers.on_window(cx.ctx.now, to, acked, lost);
        }
    }

    fn report_given_up_to(&mut self, now: Time, to: RadioId) {
        if let Some(rates) = &mut self.rates {
            rates.on_given_up(now, to);
        }
        self.observers.on_given_up(now, to);
    }
}

/// The agreement under which a frame was sent.
fn agreement_of(frame: &Frame) -> Agreement {
    Agreement { from: frame.ta, category: frame.category }
}

/// A packet that is discarded.
fn failure(next_hop: RadioId, gone: Released) -> MacOut {
    MacOut::Failed { packet: gone.packet, next_hop, reached_next_hop: gone.has_arrived }
}
