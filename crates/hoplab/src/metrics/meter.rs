//! The meter of one flow: counts of its connection, from the start of the run and from the start of the measurement.

use super::delays::Delays;
use super::report::{FlowLabel, FlowReport};
use super::time_average::TimeAverage;
use super::voice::mean_opinion_score;
use crate::kernel::{Span, Time};
use crate::trace::PacketCounters;
use std::collections::BTreeMap;
use std::ops::Sub;

/// Counts of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Payload bytes received, retransmissions included.
    pub arrived: u64,
    /// Payload bytes received for the first time, in any order.
    pub unique: u64,
    /// Payload bytes delivered to the application: in order, or of distinct datagrams.
    pub in_order: u64,
    /// Segments and datagrams sent, retransmissions and the SYN included (`ndatapack_` of ns-2).
    pub sent: u64,
    /// Retransmitted segments, for any reason (`nrexmitpack_` of ns-2).
    pub retransmissions: u64,
    /// Timeouts: expiries of the RTO (`nrexmit_` of ns-2).
    pub timeouts: u64,
    /// Losses detected by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Those of them that did not reduce the window.
    pub unreduced_fast_retransmits: u64,
    /// Packets that a stack declared lost.
    pub declared_lost: u64,
    /// Times that the flight reached `semi_tcp.max_outstanding`.
    pub limits_reached: u64,
    /// Segments and datagrams received for the first time.
    pub first_arrivals: u64,
    /// Sum of their times from first sending to first arrival, in nanoseconds.
    pub delay: u64,
    /// Packets delivered to the application, if their supply has a time.
    pub app_packets: u64,
    /// Sum of their times since supply, in nanoseconds.
    pub app_delay: u64,
}

/// The meter of one flow: fed by its connection, read at the end of the run.
#[derive(Clone, Debug)]
pub struct FlowMeter {
    total: Counts,
    before: Counts,
    since: Time,
    cwnd: Option<TimeAverage>,
    /// The smaller of `cwnd` and `limit`.
    window: Option<TimeAverage>,
    limit: f64,
    delays: Delays,
}

impl FlowMeter {
    /// A meter that measures from the start of the run. `cwnd` is the initial congestion window, if the flow has one;
    /// `limit` is the receiver's window. Both in segments.
    pub fn new(cwnd: Option<f64>, limit: f64) -> FlowMeter {
        let average = |cwnd| TimeAverage::new(Time::ZERO, cwnd);
        FlowMeter {
            total: Counts::default(),
            before: Counts::default(),
            since: Time::ZERO,
            cwnd: cwnd.map(average),
            window: cwnd.map(|cwnd| average(cwnd.min(limit))),
            limit,
            delays: Delays::default(),
        }
    }

    /// Reports count from now on. Payload that has arrived behind a gap does not count when the gap is filled.
    pub fn begin_measurement(&mut self, now: Time) {
        self.before = Counts { in_order: self.total.unique.max(self.total.in_order), ..self.total };
        self.since = now;
        self.delays.restart();
        for average in [&mut self.cwnd, &mut self.window].into_iter().flatten() {
            average.restart(now);
        }
    }

    /// A segment or datagram was sent.
    #[inline]
    pub fn on_sent(&mut self, is_retransmission: bool) {
        self.total.sent += 1;
        self.total.retransmissions += u64::from(is_retransmission);
    }

    /// Payload was received. `delay` is the time since its first sending; `None` for a duplicate.
    #[inline]
    pub fn on_arrival(&mut self, payload: u32, delay: Option<Span>) {
        self.total.arrived += u64::from(payload);
        if let Some(delay) = delay {
            self.total.unique += u64::from(payload);
            self.total.first_arrivals += 1;
            self.total.delay += delay.0;
            self.delays.add(delay);
        }
    }

    /// A packet was delivered to the application this long after its supply.
    #[inline]
    pub fn on_app_delay(&mut self, delay: Span) {
        self.total.app_packets += 1;
        self.total.app_delay += delay.0;
    }

    /// Payload was delivered to the application.
    #[inline]
    pub fn on_delivery(&mut self, payload: u64) {
        self.total.in_order += payload;
    }

    /// Totals of the sender since its creation: timeouts, fast retransmits, and those that did not reduce the window.
    #[inline]
    pub fn on_losses(&mut self, timeouts: u64, fast_retransmits: u64, unreduced: u64) {
        self.total.timeouts = timeouts;
        self.total.fast_retransmits = fast_retransmits;
        self.total.unreduced_fast_retransmits = unreduced;
    }

    /// Total of a stack's source since its creation: packets that it declared lost.
    #[inline]
    pub fn on_declared_lost(&mut self, packets: u64) {
        self.total.declared_lost = packets;
    }

    /// Total of the sender since its creation: times that the flight reached its limit.
    #[inline]
    pub fn on_limits(&mut self, reached: u64) {
        self.total.limits_reached = reached;
    }

    /// The congestion window changes, in segments.
    #[inline]
    pub fn on_cwnd(&mut self, now: Time, cwnd: f64) {
        if let Some(average) = &mut self.cwnd {
            average.set(now, cwnd);
        }
        if let Some(average) = &mut self.window {
            average.set(now, cwnd.min(self.limit));
        }
    }

    /// Counts since the start of the run.
    pub fn total(&self) -> &Counts {
        &self.total
    }

    /// Start of the measurement.
    pub fn since(&self) -> Time {
        self.since
    }

    /// Counts since the start of the measurement.
    pub fn measured(&self) -> Counts {
        self.total - self.before
    }

    /// The report of the measured time up to now. `data` and `acks` are the network's counters of the flow's data and
    /// acknowledgments in that time.
    pub fn report(&self, label: &FlowLabel, data: &PacketCounters, acks: &PacketCounters, now: Time) -> FlowReport {
        let counts = self.measured();
        let span = now.since(self.since).secs();
        let rate = |bytes: u64| if span > 0.0 { bytes as f64 * 8.0 / span } else { 0.0 };
        let dropped = data.dropped.iter().sum();
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let app_delay = (counts.app_packets > 0).then(|| counts.app_delay as f64 * 1e-9 / counts.app_packets as f64);
        let lost = counts.sent.saturating_sub(counts.retransmissions).saturating_sub(counts.first_arrivals);
        let loss = if label.is_datagrams { share(lost, counts.sent) } else { None };
        let of_delivered = |sum: u64| (data.delivered > 0).then(|| sum as f64 * 1e-9 / data.delivered as f64);
        let mean_delay = || counts.delay as f64 * 1e-9 / counts.first_arrivals as f64;
        FlowReport {
            id: label.id.0,
            src: label.src.0,
            dst: label.dst.0,
            transport: label.transport.clone(),
            goodput_bps: rate(counts.in_order),
            unique_bps: rate(counts.unique),
            throughput_bps: rate(counts.arrived),
            segments_sent: counts.sent,
            retransmissions: counts.retransmissions,
            timeouts: counts.timeouts,
            fast_retransmits: counts.fast_retransmits,
            unreduced_fast_retransmits: counts.unreduced_fast_retransmits,
            declared_lost: None,
            limits_reached: (counts.limits_reached > 0).then_some(counts.limits_reached),
            acks_sent: acks.originated,
            dropped,
            drops: BTreeMap::new(),
            ack_drops: BTreeMap::new(),
            drop_ratio: share(dropped, data.originated),
            hops_mean: share(data.hops, data.delivered),
            transit_mean_s: of_delivered(data.transit),
            mac_delay_mean_s: of_delivered(data.since_queue),
            delay_mean_s: (counts.first_arrivals > 0).then(mean_delay),
            delay_p95_s: self.delays.quantile(0.95),
            delay_p99_s: self.delays.quantile(0.99),
            delay_max_s: self.delays.max(),
            jitter_s: self.delays.jitter(),
            app_delay_mean_s: app_delay,
            loss_ratio: loss,
            transfer_bytes: None,
            fct_s: None,
            slowdown: None,
            workload: None,
            is_aborted: None,
            aborted_by: None,
            capacity_bps: None,
            mos: app_delay.filter(|_| label.is_voice).map(|delay| mean_opinion_score(delay, loss.unwrap_or(0.0))),
            cwnd_mean: self.cwnd.map(|cwnd| cwnd.mean(now)),
            window_mean: self.window.map(|window| window.mean(now)),
            own_goodput_bps: None,
            start_s: label.start.secs(),
        }
    }
}

impl Sub for Counts {
    type Output = Counts;

    fn sub(self, before: Counts) -> Counts {
        Counts {
            arrived: self.arrived - before.arrived,
            unique: self.unique - before.unique,
            in_order: self.in_order.saturating_sub(before.in_order),
            sent: self.sent - before.sent,
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            fast_retransmits: self.fast_retransmits - before.fast_retransmits,
            unreduced_fast_retransmits: self.unreduced_fast_retransmits - before.unreduced_fast_retransmits,
            declared_lost: self.declared_lost - before.declared_lost,
            limits_reached: self.limits_reached - before.limits_reached,
            first_arrivals: self.first_arrivals - before.first_arrivals,
            delay: self.delay - before.delay,
            app_packets: self.app_packets - before.app_packets,
            app_delay: self.app_delay - before.app_delay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{FlowId, NodeId};

    fn label() -> FlowLabel {
        FlowLabel {
            id: FlowId(2),
            src: NodeId(0),
            dst: NodeId(8),
            transport: "new_reno".to_owned(),
            start: Time::from_secs(1.0),
            is_datagrams: false,
            is_voice: false,
        }
    }

    #[test]
    fn report_counts_from_start_of_measurement() {
        let mut meter = FlowMeter::new(Some(1.0), 3.0);
        let both = |meter: &mut FlowMeter| {
            meter.on_sent(false);
            meter.on_sent(true);
            meter.on_arrival(1000, Some(Span::from_millis(20)));
            meter.on_arrival(1000, None);
            meter.on_delivery(500);
        };
        both(&mut meter);
        meter.on_losses(1, 2, 1);
        meter.on_limits(3);
        meter.on_cwnd(Time::from_secs(1.0), 4.0);
        meter.begin_measurement(Time::from_secs(2.0));
        both(&mut meter);
        meter.on_losses(4, 2, 1);
        meter.on_limits(5);
        meter.on_cwnd(Time::from_secs(3.0), 2.0);
        let mut data = PacketCounters { originated: 5, delivered: 3, hops: 12, ..PacketCounters::default() };
        (data.transit, data.since_queue) = (93_750_000, 60_000_000);
        data.dropped[0] = 1;
        let report = meter.report(
            &label(),
            &data,
            &PacketCounters { originated: 4, ..PacketCounters::default() },
            Time::from_secs(6.0),
        );
        assert_eq!((report.dropped, report.drop_ratio, report.hops_mean), (1, Some(0.2), Some(4.0)));
        assert_eq!(report.acks_sent, 4);
        assert!(report.transit_mean_s.is_some_and(|secs| (secs - 0.03125).abs() < 1e-12));
        assert!(report.mac_delay_mean_s.is_some_and(|secs| (secs - 0.02).abs() < 1e-12));
        // Half of what arrived before filled no gap then: it does not count now.
        assert_eq!((report.throughput_bps, report.unique_bps, report.goodput_bps), (4000.0, 2000.0, 0.0));
        assert_eq!((report.segments_sent, report.retransmissions, report.timeouts), (2, 1, 3));
        assert_eq!((report.limits_reached, report.delay_mean_s), (Some(2), Some(0.02)));
        assert_eq!((report.cwnd_mean, report.window_mean), (Some(2.5), Some(2.25)));
        assert_eq!((meter.total().sent, meter.measured().fast_retransmits), (4, 0));
    }

    #[test]
    fn idle_flow_has_no_delay() {
        let report = FlowMeter::new(None, 3.0).report(
            &label(),
            &PacketCounters::default(),
            &PacketCounters::default(),
            Time::ZERO,
        );
        assert_eq!((report.goodput_bps, report.delay_mean_s, report.cwnd_mean), (0.0, None, None));
    }

    #[test]
    fn voice_call_has_mean_opinion_score() {
        let mut meter = FlowMeter::new(None, 3.0);
        for millis in [100, 100, 100] {
            meter.on_sent(false);
            meter.on_arrival(172, Some(Span::from_millis(millis)));
            meter.on_app_delay(Span::from_millis(millis));
        }
        meter.on_sent(false);
        let label = FlowLabel { is_datagrams: true, is_voice: true, ..label() };
        let report = meter.report(&label, &PacketCounters::default(), &PacketCounters::default(), Time::from_secs(2.0));
        assert_eq!((report.loss_ratio, report.delay_max_s, report.jitter_s), (Some(0.25), Some(0.1), Some(0.0)));
        assert_eq!(report.mos, Some(mean_opinion_score(0.1, 0.25)));
        assert!((report.delay_p95_s.expect("a quantile") - 0.1).abs() < 0.002);
    }

    #[test]
    fn report_json_is_the_contract() {
        let report = FlowMeter::new(Some(1.0), 3.0).report(
            &label(),
            &PacketCounters::default(),
            &PacketCounters::default(),
            Time::from_secs(2.0),
        );
        let json = serde_json::to_string(&report).expect("a JSON object");
        let expected = r#"{"id":2,"src":0,"dst":8,"transport":"new_reno","goodput_bps":0.0,"unique_bps":0.0,"#
            .to_owned()
            + r#""throughput_bps":0.0,"segments_sent":0,"retransmissions":0,"timeouts":0,"fast_retransmits":0,"unreduced_fast_retransmits":0,"acks_sent":0,"dropped":0,"drop_ratio":null,"hops_mean":null,"transit_mean_s":null,"mac_delay_mean_s":null,"delay_mean_s":null,"#
            + r#""delay_p95_s":null,"delay_p99_s":null,"delay_max_s":null,"jitter_s":null,"app_delay_mean_s":null,"#
            + r#""loss_ratio":null,"mos":null,"#
            + r#""cwnd_mean":1.0,"window_mean":1.0,"start_s":1.0}"#;
        assert_eq!(json, expected);
    }
}
