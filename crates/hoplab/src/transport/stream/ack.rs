//! What an acknowledgment says: progress, SACK blocks, losses, the window of the receiver, growth of ours.

use super::endpoint::{Endpoint, Phase, State};
use super::hystart::Verdict;
use super::loss::{Prr, Sent};
use crate::kernel::{Span, Time};
use crate::packet::{Ack, SegNo, TcpFlags, TcpSegment};
use crate::transport::congestion::{CongestionControl, Loss, LossSignal, MarkResponse, NewAck, Repair, SenderState};

/// What one acknowledgment delivers.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Segments acknowledged in order.
    acked: u32,
    /// Segments delivered: in order or SACKed, not counted before.
    delivered: u32,
    has_advanced: bool,
    has_dsack: bool,
    acks_repeated: bool,
    acks_fin: bool,
    /// Time since the first and the last segment were sent that it acknowledges in order.
    first_rtt: Option<Span>,
    last_rtt: Option<Span>,
    /// Time since the first and the last segment were sent that it SACKs.
    sack_rtt: Option<Span>,
    last_sack_rtt: Option<Span>,
}

impl Endpoint {
    /// Processes the acknowledgment of a segment.
    pub(super) fn on_ack(&mut self, now: Time, segment: &TcpSegment) {
        if !segment.flags.has(TcpFlags::ACK) || segment.ack > self.snd.nxt {
            return;
        }
        if self.state == State::SynReceived {
            if segment.ack == 0 {
                return;
            }
            self.establish(now);
        }
        let window = self.snd.window;
        self.update_window(segment);
        if self.flight.is_empty() {
            self.timers.tries = 0;
        }
        if segment.ack < self.snd.una || self.flight.is_empty() {
            return;
        }
        let before = (self.flight.segments.len() as u32, self.flight.sacked);
        let (in_flight, una) = (self.flight.count(), self.snd.una);
        let progress = self.take(now, segment);
        let newest_rtt = self.sample_rtt(now, segment, &progress);
        if progress.has_advanced {
            self.trouble = None;
            self.timers.tries = 0;
        }
        if progress.has_advanced || self.postpones_timeout(now, &progress) {
            self.restart_rto(now);
        }
        if progress.has_dsack {
            self.rack.on_dsack(self.snd.una, self.snd.nxt);
        }
        if self.is_own
            && segment.ack == una
            && !segment.occupies()
            && (segment.block_count > 0 || self.snd.window == window)
        {
            self.controller.on_dup_ack(now, &Ack::plain(self.count(una), segment.echo));
        }
        let newly_lost = self.find_losses(now);
        self.judge_probe(now, segment.ack, &progress);
        if self.ecn.is_on && segment.flags.has(TcpFlags::ECE) {
            self.on_echo(now, before);
        }
        self.react(now, &progress, newly_lost, before);
        self.grow(now, &progress);
        if let Some(sample) = self.sampler.take(now, newest_rtt, self.rto.min_rtt()) {
            let state = SenderState {
                newly_lost,
                flights: (in_flight, self.flight.count()),
                may_be_delayed: progress.acked == 1
                    && progress.delivered == 1
                    && before.1 == 0
                    && self.snd.una - una <= u64::from(self.mss)
                    && sample.delivered <= u64::from(self.mss),
                ..self.state_after(now, segment, &progress)
            };
            self.controller.on_sample(&sample, &state);
            if self.controller.limits_samples() {
                self.sampler.on_app_limited(u64::from(self.flight.count()) * u64::from(self.mss));
            }
        }
        if progress.has_advanced {
            self.schedule_probe(now);
        }
        if progress.acks_fin {
            self.on_fin_acked();
        }
    }

    /// The sender after an acknowledgment, but for what was before it.
    fn state_after(&self, now: Time, segment: &TcpSegment, progress: &Progress) -> SenderState {
        SenderState {
            now,
            una: self.snd.una,
            nxt: self.snd.nxt,
            newly_delivered: progress.delivered,
            newly_lost: 0,
            flights: (0, 0),
            repair: match self.phase {
                Phase::Open | Phase::Reduction { repairs: false, .. } => Repair::None,
                Phase::Reduction { .. } => Repair::Recovery,
                Phase::Loss { .. } => Repair::Timeout,
            },
            srtt: self.rto.srtt(),
            one_way: (segment.echo > Time::ZERO).then(|| segment.sent_at.since(segment.echo)),
            departs_in: self.snd.next_burst.max(now).since(now),
            is_cwnd_limited: self.snd.is_limited,
            may_be_delayed: false,
            has_echo: segment.flags.has(TcpFlags::ECE),
        }
    }

    /// Whether what is SACKed was sent before the first segment was sent last: the answer to that one is still to come
    /// (Linux: `tcp_clean_rtx_queue`).
    fn postpones_timeout(&self, now: Time, progress: &Progress) -> bool {
        let first = self.flight.segments.front();
        first.is_some_and(|first| progress.sack_rtt.is_some_and(|rtt| rtt > now.since(first.sent_at)))
    }

    /// The window of the receiver, unless the segment is older than the one that gave the last.
    fn update_window(&mut self, segment: &TcpSegment) {
        let snd = &mut self.snd;
        let (at, window) = ((segment.seq, segment.ack), u64::from(segment.window));
        let known = (snd.window_seq, snd.window_ack);
        let is_newer = segment.ack > snd.una || at > known || at == known && window > snd.window;
        if segment.ack >= snd.una && is_newer {
            (snd.window, snd.window_seq, snd.window_ack) = (window, at.0, at.1);
            snd.max_window = snd.max_window.max(window);
        }
    }

    /// Takes what is acknowledged in order and by SACK out of the flight.
    fn take(&mut self, now: Time, segment: &TcpSegment) -> Progress {
        let mut progress = Progress { has_advanced: segment.ack > self.snd.una, ..Progress::default() };
        let highest = self.flight.highest_sack;
        while self.flight.segments.front().is_some_and(|sent| sent.end <= segment.ack) {
            let Some(sent) = self.flight.pop() else { break };
            progress.acked += 1;
            progress.acks_fin |= sent.is_fin;
            if sent.was_repeated {
                progress.acks_repeated = true;
            } else if !sent.is_sacked {
                let rtt = now.since(sent.sent_at);
                progress.first_rtt.get_or_insert(rtt);
                progress.last_rtt = Some(rtt);
            }
            if !sent.is_sacked {
                progress.delivered += 1;
                self.on_delivered(now, &sent, highest);
            }
        }
        self.snd.una = self.snd.una.max(segment.ack);
        let second = segment.blocks().nth(1);
        for (index, (first, beyond)) in segment.blocks().enumerate() {
            let is_dsack = index == 0
                && (beyond <= segment.ack || second.is_some_and(|(low, high)| low <= first && beyond <= high));
            if is_dsack {
                progress.has_dsack = true;
                continue;
            }
            for at in self.flight.range(first, beyond) {
                let sent = &self.flight.segments[at];
                if sent.is_sacked {
                    continue;
                }
                let sent = sent.clone();
                if !sent.was_repeated {
                    let rtt = now.since(sent.sent_at);
                    progress.sack_rtt.get_or_insert(rtt);
                    progress.last_sack_rtt = Some(rtt);
                }
                progress.delivered += 1;
                self.on_delivered(now, &sent, highest);
                self.flight.sack(at);
            }
        }
        progress
    }

    fn on_delivered(&mut self, now: Time, sent: &Sent, highest: u64) {
        self.rack.on_delivered(now, sent, self.rto.min_rtt(), highest);
        self.sampler.on_delivered(now, sent.end - sent.seq, sent.sent_at, &sent.stamp);
    }

    /// A sample of the round-trip time: from segments sent once, else from SACKs, else from the timestamp. Returns that of the
    /// newest segment acknowledged.
    fn sample_rtt(&mut self, now: Time, segment: &TcpSegment, progress: &Progress) -> Option<Span> {
        let clean = progress.first_rtt.filter(|_| !progress.acks_repeated);
        let stamped = (progress.has_advanced && segment.echo > Time::ZERO).then(|| now.since(segment.echo));
        if let Some(rtt) = clean.or(progress.sack_rtt).or(stamped) {
            let least = progress.last_rtt.filter(|_| clean.is_some()).map_or(rtt, |last| last.min(rtt));
            self.rto.sample(rtt, least);
        }
        progress.last_sack_rtt.or(clean.and(progress.last_rtt)).or(stamped)
    }

    /// Marks what RACK considers lost, and sets its timer. Returns the number of segments newly lost.
    fn find_losses(&mut self, now: Time) -> u32 {
        let in_recovery = matches!(self.phase, Phase::Reduction { repairs: true, .. } | Phase::Loss { .. });
        let times = (self.rto.min_rtt(), self.rto.srtt());
        let found = self.rack.detect(now, &mut self.flight, in_recovery, times);
        self.timers.rack_at = found.next;
        if found.lost > 0 {
            self.note_losses(now);
        }
        found.lost
    }

    /// Counts what was marked as lost.
    pub(super) fn note_losses(&mut self, now: Time) {
        for lost in self.flight.take_lost() {
            let segment = self.sampler.on_lost(now, lost.bytes, &lost.stamp, lost.starts_range);
            self.controller.on_lost_segment(&segment);
        }
    }

    /// The time that reordering may take is over for a segment.
    pub(super) fn on_reordering_timeout(&mut self, now: Time) {
        let before = (self.flight.segments.len() as u32, self.flight.sacked);
        let newly_lost = self.find_losses(now);
        if newly_lost > 0 {
            self.react(now, &Progress::default(), newly_lost, before);
            self.push(now);
        }
    }

    /// Enters, continues or leaves a reduction. `before` has the segments in flight, and those SACKed, before this
    /// acknowledgment.
    fn react(&mut self, now: Time, progress: &Progress, newly_lost: u32, before: (u32, u32)) {
        let una = self.snd.una;
        match &self.phase {
            Phase::Loss { high } if una >= *high => {
                self.phase = Phase::Open;
                self.rack.on_recovery_exit();
            }
            Phase::Reduction { high, prr, repairs, .. } if una >= *high => {
                let (ssthresh, repairs) = (prr.ssthresh, *repairs);
                self.phase = Phase::Open;
                self.controller.on_recovery_exit(f64::from(ssthresh));
                if repairs {
                    self.rack.on_recovery_exit();
                }
            }
            _ => {}
        }
        if newly_lost > 0 {
            match &mut self.phase {
                Phase::Open => {
                    self.reduce(now, true, Some(LossSignal::DupAcks), before);
                    self.counts.fast_retransmits += 1;
                }
                Phase::Reduction { repairs, high, .. } if !*repairs => (*repairs, *high) = (true, self.snd.nxt),
                Phase::Reduction { .. } | Phase::Loss { .. } => {}
            }
        }
        let pipe = self.flight.count();
        if let Phase::Reduction { prr, quota, .. } = &mut self.phase {
            *quota = prr.on_ack(progress.delivered, pipe, progress.has_advanced && newly_lost == 0);
        }
    }

    /// Begins a reduction of the window, to what the controller makes of the signal; to its `ssthresh` without one.
    fn reduce(&mut self, now: Time, repairs: bool, signal: Option<LossSignal>, (in_flight, sacked): (u32, u32)) {
        let window = self.controller.cwnd();
        if let Some(signal) = signal {
            self.controller.on_loss(&Loss {
                now,
                signal,
                window,
                flight_size: in_flight,
                is_retransmission: false,
                is_syn: false,
            });
        }
        self.snd.has_lost = true;
        let ssthresh = self.controller.ssthresh().min(window).max(1.0) as u32;
        // What was SACKed before is not delivered during recovery (RFC 9937, DeliveredData).
        let prr = Prr::new(ssthresh, in_flight.saturating_sub(sacked));
        self.phase = Phase::Reduction { prr, quota: 0, high: self.snd.nxt, repairs };
        (self.timers.probe, self.timers.probe_at) = (None, None);
    }

    /// The receiver echoes a mark: the window is cut as for a loss, once per round trip (RFC 3168 section 6.1.2).
    fn on_echo(&mut self, now: Time, before: (u32, u32)) {
        // The answer to the last segment before CWR still has the echo.
        if !matches!(self.phase, Phase::Open) || self.snd.una <= self.ecn.reduced_to {
            return;
        }
        self.ecn.reduced_to = self.snd.nxt;
        self.ecn.owes_cwr = true;
        match self.controller.on_ecn() {
            MarkResponse::AsLoss => self.reduce(now, false, Some(LossSignal::DupAcks), before),
            MarkResponse::Cut => self.reduce(now, false, None, before),
            MarkResponse::Ignore => {}
        }
    }

    /// What an acknowledgment says about the tail loss probe (RFC 8985 section 7.4).
    fn judge_probe(&mut self, now: Time, ack: u64, progress: &Progress) {
        let Some((high, is_repeated)) = self.timers.probe else { return };
        if ack < high {
            return;
        }
        if !is_repeated || progress.has_dsack {
            self.timers.probe = None;
        } else if ack > high {
            // The probe repaired a loss that nothing else showed.
            self.timers.probe = None;
            if matches!(self.phase, Phase::Open) {
                let in_flight = self.flight.segments.len() as u32;
                self.reduce(now, false, Some(LossSignal::DupAcks), (in_flight, 0));
                if let Phase::Reduction { prr, .. } = &self.phase {
                    let ssthresh = prr.ssthresh;
                    self.phase = Phase::Open;
                    self.controller.on_recovery_exit(f64::from(ssthresh));
                }
            }
        } else if !progress.has_advanced && progress.delivered == 0 {
            // A duplicate without a gap: original and probe arrived.
            self.timers.probe = None;
        }
    }

    /// Grows the window by the segments that an acknowledgment in order delivers, one by one.
    fn grow(&mut self, now: Time, progress: &Progress) {
        let is_reducing = matches!(self.phase, Phase::Reduction { .. });
        if is_reducing && self.is_own && !self.owns_window && progress.acked > 0 {
            let packet = Ack::plain(1, now);
            let ack = self.new_ack(now, progress, &packet);
            let ack = NewAck { newly_acked: progress.acked, is_cwnd_limited: self.is_cwnd_limited(), ..ack };
            self.controller.on_recovery_ack(&ack);
        }
        if self.owns_window || is_reducing || progress.acked == 0 || progress.delivered == 0 {
            return;
        }
        let mut count = progress.delivered;
        let (cwnd, ssthresh) = self.window();
        if cwnd < ssthresh {
            let verdict = self.hystart.on_ack(now, (self.snd.una, self.snd.nxt), progress.last_rtt, count, cwnd);
            match verdict {
                Verdict::Grow(segments) => count = segments,
                Verdict::Exit => self.controller.exit_slow_start(),
            }
        }
        if !self.is_cwnd_limited() {
            return;
        }
        let packet = Ack::plain(1, now);
        let new = self.new_ack(now, progress, &packet);
        for _ in 0..count {
            let (before, ssthresh) = self.window();
            self.controller.on_ack(&new);
            let least = before + self.config.first_growth;
            if self.is_cubic && !self.snd.has_lost && before >= ssthresh && self.controller.cwnd() < least {
                self.controller.set_cwnd(least);
            }
        }
    }

    /// An acknowledgment of a segment, as controllers see it: by the numbers of full segments.
    fn new_ack<'a>(&self, now: Time, progress: &Progress, packet: &'a Ack) -> NewAck<'a> {
        NewAck {
            now,
            acked: self.count(self.snd.una).max(1),
            newly_acked: 1,
            snd_nxt: self.count(self.snd.nxt),
            in_flight: self.flight.count(),
            rtt: progress.last_rtt,
            srtt: self.rto.srtt(),
            is_cwnd_limited: true,
            has_new_sacks: false,
            packet,
        }
    }

    /// Full segments up to a sequence number.
    fn count(&self, seq: u64) -> SegNo {
        seq.div_ceil(u64::from(self.mss)) as SegNo
    }
}
