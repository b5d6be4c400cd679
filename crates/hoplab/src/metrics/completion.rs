//! Completion times of finite transfers: from the SYN to the last byte at the receiver.

use crate::kernel::Time;
use schemars::JsonSchema;
use serde::Serialize;

/// A finite transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    bytes: u64,
    begin: Option<Time>,
    end: Option<Time>,
    has_aborted: bool,
    /// How many bytes were there when, if it is kept.
    progress: Option<Vec<(u64, Time)>>,
}

impl Completion {
    /// A transfer of `bytes` that has not begun.
    pub fn new(bytes: u64) -> Completion {
        Completion { bytes, begin: None, end: None, has_aborted: false, progress: None }
    }

    /// Keeps how many bytes were there when, from now on.
    pub fn keep_progress(&mut self) {
        self.progress = Some(Vec::new());
    }

    /// Seconds from the SYN until the receiver had `bytes` in order, if progress is kept and they arrived.
    pub fn secs_until(&self, bytes: u64) -> Option<f64> {
        let progress = self.progress.as_ref()?;
        let at = progress.partition_point(|&(there, _)| there < bytes);
        Some(progress.get(at)?.1.since(self.begin?).secs())
    }

    /// Its SYN is sent.
    pub fn on_open(&mut self, now: Time) {
        self.begin.get_or_insert(now);
    }

    /// The receiver has `bytes` in order.
    #[inline]
    pub fn on_delivered(&mut self, now: Time, bytes: u64) {
        if bytes >= self.bytes && self.end.is_none() {
            self.end = Some(now);
        }
        if let Some(progress) = &mut self.progress {
            progress.push((bytes, now));
        }
    }

    /// An end gave up.
    pub fn on_abort(&mut self) {
        self.has_aborted |= self.end.is_none();
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.begin.is_some()
    }

    /// Its time in seconds, if it is complete.
    pub fn secs(&self) -> Option<f64> {
        Some(self.end?.since(self.begin?).secs())
    }

    /// Whether it ended without being complete.
    pub fn has_aborted(&self) -> bool {
        self.has_aborted
    }
}

/// Completion times of the finite transfers of a run that have begun.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CompletionReport {
    /// Transfers that have begun.
    pub flows: u64,
    /// Those of them that are not complete; they have no time.
    pub unfinished: u64,
    /// Mean time in seconds.
    pub mean_s: Option<f64>,
    /// Median.
    pub p50_s: Option<f64>,
    /// 95th percentile.
    pub p95_s: Option<f64>,
    /// 99th percentile.
    pub p99_s: Option<f64>,
    /// Mean slowdown: the time of a transfer over that of its size alone on the idle path. None if nodes move, or if there are
    /// too many paths.
    pub slowdown_mean: Option<f64>,
    /// Median slowdown.
    pub slowdown_p50: Option<f64>,
    /// 95th percentile of the slowdown.
    pub slowdown_p95: Option<f64>,
    /// 99th percentile of the slowdown.
    pub slowdown_p99: Option<f64>,
    /// The same by size; classes without transfers are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeReport>,
}

/// Completion times of transfers of a size.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SizeReport {
    /// Largest transfer of the class, in bytes; none for the largest class.
    pub up_to_bytes: Option<u64>,
    /// Transfers that have begun.
    pub flows: u64,
    /// Those of them that are not complete.
    pub unfinished: u64,
    /// Mean time in seconds.
    pub mean_s: Option<f64>,
    /// Median.
    pub p50_s: Option<f64>,
    /// 95th percentile.
    pub p95_s: Option<f64>,
}

/// Times of one kind, such as those of pages.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimesReport {
    /// Number of those that have ended.
    pub count: u64,
    /// Those that have begun and not ended; they have no time.
    pub unfinished: u64,
    /// Mean time in seconds.
    pub mean_s: Option<f64>,
    /// Median.
    pub p50_s: Option<f64>,
    /// 95th percentile.
    pub p95_s: Option<f64>,
    /// 99th percentile.
    pub p99_s: Option<f64>,
}

impl TimesReport {
    /// The report of these times, in seconds.
    pub fn of(secs: Vec<f64>, unfinished: u64) -> TimesReport {
        let times = Times::sorted(secs);
        TimesReport {
            count: times.flows,
            unfinished,
            mean_s: times.mean(),
            p50_s: times.quantile(0.5),
            p95_s: times.quantile(0.95),
            p99_s: times.quantile(0.99),
        }
    }
}

/// Upper bounds of the classes of sizes, in bytes.
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

impl CompletionReport {
    /// The report of these transfers, each with its time on the idle path if that is known; `None` if none has begun.
    pub fn of<'a>(transfers: impl Iterator<Item = (&'a Completion, Option<f64>)>) -> Option<CompletionReport> {
        let (begun, idle): (Vec<&Completion>, Vec<Option<f64>>) =
            transfers.filter(|(transfer, _)| transfer.has_begun()).unzip();
        if begun.is_empty() {
            return None;
        }
        let times = Times::of(begun.iter().copied());
        let slowdown = |(transfer, idle): (&&Completion, &Option<f64>)| Some(transfer.secs()? / (*idle)?);
        let slowdowns = Times::sorted(begun.iter().zip(&idle).filter_map(slowdown).collect());
        let bounds = SIZES.into_iter().map(Some).chain([None]);
        let lows = [0].into_iter().chain(SIZES);
        let class = |(low, up_to): (u64, Option<u64>)| {
            let holds = |bytes: u64| bytes > low && up_to.is_none_or(|high| bytes <= high);
            let times = Times::of(begun.iter().copied().filter(|transfer| holds(transfer.bytes)));
            (times.flows > 0).then(|| SizeReport {
                up_to_bytes: up_to,
                flows: times.flows,
                unfinished: times.unfinished(),
                mean_s: times.mean(),
                p50_s: times.quantile(0.5),
                p95_s: times.quantile(0.95),
            })
        };
        Some(CompletionReport {
            flows: times.flows,
            unfinished: times.unfinished(),
            mean_s: times.mean(),
            p50_s: times.quantile(0.5),
            p95_s: times.quantile(0.95),
            p99_s: times.quantile(0.99),
            slowdown_mean: slowdowns.mean(),
            slowdown_p50: slowdowns.quantile(0.5),
            slowdown_p95: slowdowns.quantile(0.95),
            slowdown_p99: slowdowns.quantile(0.99),
            sizes: lows.zip(bounds).filter_map(class).collect(),
        })
    }
}

/// Sorted times of the transfers that are complete.
struct Times {
    flows: u64,
    sorted: Vec<f64>,
}

impl Times {
    fn of<'a>(transfers: impl Iterator<Item = &'a Completion>) -> Times {
        let mut times = Times { flows: 0, sorted: Vec::new() };
        for transfer in transfers {
            times.flows += 1;
            times.sorted.extend(transfer.secs());
        }
        times.sorted.sort_by(f64::total_cmp);
        times
    }

    fn sorted(mut values: Vec<f64>) -> Times {
        values.sort_by(f64::total_cmp);
        Times { flows: values.len() as u64, sorted: values }
    }

    fn unfinished(&self) -> u64 {
        self.flows - self.sorted.len() as u64
    }

    fn mean(&self) -> Option<f64> {
        (!self.sorted.is_empty()).then(|| self.sorted.iter().sum::<f64>() / self.sorted.len() as f64)
    }

    /// The least time that at least `share` of the transfers do not exceed.
    fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(rank.max(1) - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(bytes: u64, secs: Option<f64>) -> Completion {
        let mut transfer = Completion::new(bytes);
        transfer.on_open(Time::from_secs(1.0));
        if let Some(secs) = secs {
            transfer.on_delivered(Time::from_secs(1.0 + secs), bytes);
        }
        transfer
    }

    #[test]
    fn last_byte_ends_a_transfer_once() {
        let mut transfer = Completion::new(1000);
        transfer.on_open(Time::from_secs(1.0));
        transfer.on_delivered(Time::from_secs(2.0), 999);
        assert_eq!(transfer.secs(), None);
        transfer.on_delivered(Time::from_secs(2.5), 1000);
        transfer.on_delivered(Time::from_secs(3.0), 1000);
        transfer.on_abort();
        assert_eq!((transfer.secs(), transfer.has_aborted()), (Some(1.5), false));
    }

    #[test]
    fn report_counts_unfinished_and_sorts_by_size() {
        let mut all: Vec<Completion> = (1..=20).map(|n| transfer(10_000, Some(f64::from(n)))).collect();
        all.push(transfer(10_001, None));
        all.push(transfer(2_000_000, Some(40.0)));
        all.push(Completion::new(5));
        let report = CompletionReport::of(all.iter().map(|transfer| (transfer, Some(2.0)))).expect("transfers");
        assert_eq!((report.flows, report.unfinished), (22, 1));
        assert_eq!((report.p50_s, report.p95_s, report.p99_s), (Some(11.0), Some(20.0), Some(40.0)));
        assert_eq!(report.mean_s, Some(250.0 / 21.0));
        assert_eq!((report.slowdown_p50, report.slowdown_p99), (Some(5.5), Some(20.0)));
        let classes: Vec<_> =
            report.sizes.iter().map(|class| (class.up_to_bytes, class.flows, class.unfinished)).collect();
        assert_eq!(classes, [(Some(10_000), 20, 0), (Some(100_000), 1, 1), (None, 1, 0)]);
        assert_eq!(report.sizes[1].p50_s, None);
        assert_eq!(CompletionReport::of([(&Completion::new(5), None)].into_iter()), None);
    }
}
