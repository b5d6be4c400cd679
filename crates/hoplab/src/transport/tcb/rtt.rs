//! Round-trip time, and the retransmission timeout that follows from it.
//!
//! # Source
//! `ns2_oneway`: `tcp/tcp.cc` of ns-2.35: integer ticks, `srtt` times 8 and `rttvar` times 4, a clock whose ticks begin
//! at a random phase (`boot_time_`). `ns2_linux`: `tcp/tcp-linux.cc`: the same in ticks of 1 ms, but a sample far below
//! the mean raises the deviation by an eighth of its excess only. `rfc`: RFC 6298.

use crate::kernel::{Span, Time};
use crate::transport::config::TcpConfig;
use crate::transport::rules::EstimatorRule;

/// Estimates the retransmission timeout.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    method: Method,
    initial: Span,
    min: Span,
    max: Span,
    backoff: u64,
}

#[derive(Clone, Debug)]
enum Method {
    Ticks(Ticks),
    Rfc(Rfc6298),
}

impl RttEstimator {
    /// Before the first sample. `phase`, in `[0, 1)`, is where in a tick the clock of `ns2_oneway` starts.
    pub fn new(config: &TcpConfig, phase: f64) -> RttEstimator {
        let tick = config.tick.0.max(1);
        let method = match config.profile.rules().timer.estimator {
            EstimatorRule::Rfc6298 => Method::Rfc(Rfc6298::new(tick as f64 * 1e-9)),
            EstimatorRule::Ticks { damps_short_samples } => Method::Ticks(Ticks {
                tick,
                boot: (phase * tick as f64) as u64,
                is_coarse: !config.timestamps,
                damps_short_samples,
                srtt8: 0,
                var4: 0,
                raw: None,
            }),
        };
        RttEstimator { method, initial: config.initial_rto, min: config.min_rto, max: config.max_rto, backoff: 1 }
    }

    /// A segment sent at `sent_at` was acknowledged after `rtt`. It was sent once.
    pub fn on_sample(&mut self, rtt: Span, sent_at: Time) {
        match &mut self.method {
            Method::Ticks(ticks) => ticks.on_sample(rtt, sent_at),
            Method::Rfc(rfc) => rfc.on_sample(rtt.secs()),
        }
    }

    /// The retransmission timeout.
    pub fn rto(&self) -> Span {
        let (raw, min) = match &self.method {
            Method::Ticks(ticks) => (ticks.raw, Span(ticks.tick * MIN_TICKS)),
            Method::Rfc(rfc) => (rfc.raw(), Span::ZERO),
        };
        (raw.unwrap_or(self.initial).max(self.min) * self.backoff).min(self.max).max(min)
    }

    /// Doubles the timeout after it expired.
    pub fn back_off(&mut self) {
        if self.rto() < self.max || self.backoff < MIN_BACKOFF_LIMIT {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if let Method::Ticks(ticks) = &mut self.method
            && self.backoff > CLOBBER_BACKOFF
        {
            ticks.clobber();
        }
    }

    /// Ends the backoff: the timeout is as measured again.
    pub fn end_back_off(&mut self) {
        self.backoff = 1;
    }

    /// The timer of the SYN expired.
    pub fn on_syn_lost(&mut self) {
        if let Method::Rfc(rfc) = &mut self.method {
            rfc.is_syn_lost = true;
        }
    }

    /// The SYN is acknowledged: after a lost one the timeout of the first data is 3 s, whatever was sampled and however
    /// often the SYN was retransmitted (RFC 6298 section 5.7).
    pub fn on_established(&mut self) {
        if let Method::Rfc(rfc) = &mut self.method
            && std::mem::take(&mut rfc.is_syn_lost)
        {
            self.backoff = 1;
            rfc.first = (self.initial < SYN_LOST_RTO).then_some(SYN_LOST_RTO);
        }
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Span> {
        match &self.method {
            Method::Ticks(ticks) => (ticks.srtt8 > 0).then(|| Span(ticks.srtt8 as u64 * ticks.tick / 8)),
            Method::Rfc(rfc) => rfc.estimate.map(|(srtt, _)| Span::from_secs(srtt)),
        }
    }

    /// Current factor of the timeout.
    pub fn backoff(&self) -> u64 {
        self.backoff
    }

    /// Samples come from timestamps from now on.
    pub(crate) fn use_timestamps(&mut self) {
        if let Method::Ticks(ticks) = &mut self.method {
            ticks.is_coarse = false;
        }
    }
}

/// The estimator of BSD and ns-2.
#[derive(Clone, Debug)]
struct Ticks {
    tick: u64,
    boot: u64,
    /// Whether a sample counts ticks of the clock; with timestamps it is rounded.
    is_coarse: bool,
    /// Whether a sample below the mean raises the deviation less, as in the Linux agent.
    damps_short_samples: bool,
    srtt8: i64,
    var4: i64,
    raw: Option<Span>,
}

impl Ticks {
    fn on_sample(&mut self, rtt: Span, sent_at: Time) {
        let ticks = if self.is_coarse {
            (rtt.0 + (sent_at.0 + self.boot) % self.tick) / self.tick
        } else {
            (rtt.0 + self.tick / 2) / self.tick
        };
        self.on_ticks((ticks as i64).max(1));
    }

    fn on_ticks(&mut self, m: i64) {
        if self.srtt8 == 0 {
            self.srtt8 = 8 * m;
            self.var4 = 2 * m;
        } else {
            let d = m - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + d).max(1);
            let excess = d.abs() - (self.var4 >> 2);
            if self.damps_short_samples {
                self.var4 += if d < 0 && excess > 0 { excess >> 3 } else { excess };
            } else {
                self.var4 = (self.var4 + excess).max(1);
            }
        }
        self.raw = Some(Span(((8 * self.var4 + self.srtt8) >> 3) as u64 * self.tick));
    }

    /// Drops the smoothed round-trip time: after this much backoff the next sample initializes it.
    fn clobber(&mut self) {
        self.srtt8 = 0;
    }
}

/// RFC 6298 section 2, in seconds.
#[derive(Clone, Debug)]
struct Rfc6298 {
    granularity: f64,
    /// `srtt` and `rttvar`.
    estimate: Option<(f64, f64)>,
    /// Whether a timer of the SYN expired.
    is_syn_lost: bool,
    /// Timeout until the next sample, after a lost SYN.
    first: Option<Span>,
}

impl Rfc6298 {
    fn new(granularity: f64) -> Rfc6298 {
        Rfc6298 { granularity, estimate: None, is_syn_lost: false, first: None }
    }

    fn on_sample(&mut self, r: f64) {
        self.first = None;
        self.estimate = Some(match self.estimate {
            None => (r, r / 2.0),
            Some((srtt, var)) => {
                let var = (1.0 - BETA) * var + BETA * (srtt - r).abs();
                ((1.0 - ALPHA) * srtt + ALPHA * r, var)
            }
        });
    }

    fn raw(&self) -> Option<Span> {
        let estimated = self.estimate.map(|(srtt, var)| Span::from_secs(srtt + self.granularity.max(K * var)));
        self.first.or(estimated)
    }
}

/// `alpha` of RFC 6298.
const ALPHA: f64 = 1.0 / 8.0;
/// `beta` of RFC 6298.
const BETA: f64 = 1.0 / 4.0;
/// `K` of RFC 6298.
const K: f64 = 4.0;
/// First timeout of data whose SYN was lost, unless that of the SYN is as long (RFC 6298 section 5.7).
const SYN_LOST_RTO: Span = Span::from_millis(3_000);
/// No timeout of ns-2 is shorter than this many ticks.
const MIN_TICKS: u64 = 2;
/// Up to this factor ns-2 doubles even beyond the longest timeout.
const MIN_BACKOFF_LIMIT: u64 = 64;
/// Backoff beyond which ns-2 drops the smoothed round-trip time.
const CLOBBER_BACKOFF: u64 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(phase: f64) -> RttEstimator {
        RttEstimator::new(&TcpConfig::default(), phase)
    }

    /// `(srtt8, var4, raw RTO in ms)` after each sample, in ticks.
    fn curve(samples: &[u64]) -> Vec<(i64, i64, u64)> {
        let mut estimator = ticks(0.0);
        let sample = |&m: &u64| {
            estimator.on_sample(Span::from_millis(10 * m), Time::ZERO);
            let Method::Ticks(ticks) = &estimator.method else { unreachable!("profile ns2") };
            (ticks.srtt8, ticks.var4, ticks.raw.expect("a sample").0 / 1_000_000)
        };
        samples.iter().map(sample).collect()
    }

    #[test]
    fn estimates_match_ns2() {
        assert_eq!(curve(&[10, 10, 10, 10]), [(80, 20, 300), (80, 15, 250), (80, 12, 220), (80, 9, 190)]);
        let rising = [(40, 10, 150), (42, 10, 150), (43, 9, 140), (58, 22, 290), (57, 18, 250)];
        assert_eq!(curve(&[5, 7, 6, 20, 6]), rising);
        let long = [(240, 60, 900), (238, 47, 760), (244, 42, 720), (274, 62, 960), (273, 48, 820)];
        assert_eq!(curve(&[30, 28, 35, 60, 33]), long);
    }

    #[test]
    fn ns2_timeout_is_at_least_200_ms() {
        let mut estimator = ticks(0.0);
        for _ in 0..4 {
            estimator.on_sample(Span::from_millis(100), Time::ZERO);
        }
        assert_eq!(estimator.rto(), Span::from_millis(200));
    }

    #[test]
    fn sample_is_coarse_of_a_clock_with_a_phase() {
        let m = |phase: f64, rtt_ms: u64, sent_ms: u64| {
            let mut estimator = ticks(phase);
            estimator.on_sample(Span::from_millis(rtt_ms), Time(sent_ms * 1_000_000));
            let Method::Ticks(ticks) = &estimator.method else { unreachable!("profile ns2") };
            ticks.srtt8 / 8
        };
        assert_eq!((m(0.0, 14, 0), m(0.0, 14, 5), m(0.0, 14, 6), m(0.5, 14, 5)), (1, 1, 2, 1));
        // Never less than one tick.
        assert_eq!(m(0.0, 3, 0), 1);
    }

    #[test]
    fn timestamp_sample_is_rounded_to_ticks() {
        let config = TcpConfig { timestamps: true, ..TcpConfig::default() };
        let mut estimator = RttEstimator::new(&config, 0.9);
        estimator.on_sample(Span::from_millis(14), Time(9_000_000));
        assert_eq!(estimator.srtt(), Some(Span::from_millis(10)));
    }

    #[test]
    fn linux_damps_short_samples() {
        let mut estimator = RttEstimator::new(&TcpConfig::ns2_linux(), 0.0);
        let mut curve = Vec::new();
        for millis in [100, 140, 20, 100, 101] {
            estimator.on_sample(Span::from_millis(millis), Time::ZERO);
            let Method::Ticks(ticks) = &estimator.method else { unreachable!("profile ns2_linux") };
            curve.push((ticks.srtt8, ticks.var4));
        }
        // 100: first. 140: d 40 against 50: -10. 20: d -85 against 47, 38 / 8 = 4. 100: d 6 against 48. 101: 6 against
        // 38.
        assert_eq!(curve, [(800, 200), (840, 190), (755, 194), (761, 152), (767, 120)]);
    }

    #[test]
    fn syn_backs_off_to_a_minute() {
        let mut estimator = ticks(0.0);
        let mut at = 0;
        let mut times = vec![0];
        for _ in 0..7 {
            at += estimator.rto().0 / 1_000_000_000;
            times.push(at);
            estimator.back_off();
        }
        assert_eq!(times, [0, 3, 9, 21, 45, 93, 153, 213]);
    }

    #[test]
    fn backoff_beyond_eight_resets_the_estimate() {
        let mut estimator = ticks(0.0);
        estimator.on_sample(Span::from_millis(100), Time::ZERO);
        (0..4).for_each(|_| estimator.back_off());
        // 0.3 s raw, 16 times.
        assert_eq!((estimator.rto(), estimator.backoff(), estimator.srtt()), (Span::from_millis(4800), 16, None));
        estimator.end_back_off();
        assert_eq!(estimator.rto(), Span::from_millis(300));
        estimator.on_sample(Span::from_millis(50), Time::ZERO);
        assert_eq!(estimator.srtt(), Some(Span::from_millis(50)));
    }

    #[test]
    fn estimates_match_rfc_6298() {
        let config = TcpConfig { min_rto: Span::from_millis(200), ..TcpConfig::rfc() };
        let mut estimator = RttEstimator::new(&config, 0.0);
        assert_eq!(estimator.rto(), Span::from_millis(1000));
        let rto = [0.2, 0.2, 0.2, 0.277_383, 0.236_265];
        let srtt = [0.05, 0.0525, 0.053_438, 0.071_758, 0.070_288];
        for (i, sample) in [0.05, 0.07, 0.06, 0.2, 0.06].into_iter().enumerate() {
            estimator.on_sample(Span::from_secs(sample), Time::ZERO);
            assert!((estimator.rto().secs() - rto[i]).abs() < 1e-6, "RTO {i}: {}", estimator.rto());
            assert!((estimator.srtt().expect("a sample").secs() - srtt[i]).abs() < 1e-6, "srtt {i}");
        }
    }

    #[test]
    fn lost_syns_repeat_at_1_3_7_15_s_then_data_has_3_s() {
        let mut estimator = RttEstimator::new(&TcpConfig::rfc(), 0.0);
        let mut at = Span::ZERO;
        let mut times = Vec::new();
        for _ in 0..4 {
            at += estimator.rto();
            times.push(at.secs());
            estimator.on_syn_lost();
            estimator.back_off();
        }
        assert_eq!(times, [1.0, 3.0, 7.0, 15.0]);
        // With timestamps the acknowledgment of the SYN is a sample, too.
        estimator.on_sample(Span::from_millis(50), Time::ZERO);
        estimator.on_established();
        assert_eq!(estimator.rto(), Span::from_millis(3000));
        estimator.back_off();
        assert_eq!(estimator.rto(), Span::from_millis(6000));
        estimator.end_back_off();
        estimator.on_sample(Span::from_millis(50), Time::ZERO);
        assert_eq!(estimator.rto(), Span::from_millis(1000));
    }

    #[test]
    fn ns2_timeout_is_at_least_two_ticks() {
        let quick = Span::from_millis(1);
        for config in [TcpConfig::default(), TcpConfig::ns2_linux()] {
            let estimator = RttEstimator::new(&TcpConfig { initial_rto: quick, min_rto: quick, ..config.clone() }, 0.0);
            assert_eq!(estimator.rto(), config.tick * 2);
        }
    }

    #[test]
    fn backoff_doubles_to_64_or_to_the_longest_timeout() {
        let backoffs = |first_millis: u64| {
            let config = TcpConfig { initial_rto: Span::from_millis(first_millis), ..TcpConfig::default() };
            let mut estimator = RttEstimator::new(&config, 0.0);
            (0..12).for_each(|_| estimator.back_off());
            (estimator.backoff(), estimator.rto())
        };
        // 64 times 3 s exceeds a minute, 256 times 0.2 s does not.
        assert_eq!(backoffs(3000), (64, Span::from_millis(60_000)));
        assert_eq!(backoffs(200), (512, Span::from_millis(60_000)));
    }
}
