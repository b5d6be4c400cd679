//! Validates every agent against ns-2.35: `tests/scripts/ns2/timelines.txt.gz` lists transmissions with their times, and
//! windows, over one link with given losses. `gzip -dc` shows it; each timeline begins with a line `# NAME: ...`.

use crate::transport_pipe::{Event, Link, Pipe, flow};
use flate2::read::GzDecoder;
use hoplab::app::{AppConfig, Cbr, Ftp};
use hoplab::kernel::{Rate, Span, Time};
use hoplab::packet::Payload;
use hoplab::transport::{CongestionKind, End, NewRenoVariant, Parts, Protocol, RecoveryKind, TcpConfig};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// ns-2's clock has a random phase; its timeouts differ from ours by a tick of 0.1 ms, times the backoff.
const TOLERANCE_MS: f64 = 1.0;

/// ns-2 prints windows with three digits.
const WINDOW_TOLERANCE: f64 = 0.002;

struct Timeline {
    conditions: BTreeMap<String, String>,
    transmissions: Vec<(f64, i64)>,
    windows: Vec<f64>,
}

impl Timeline {
    fn read(text: &str) -> Timeline {
        let mut timeline = Timeline { conditions: BTreeMap::new(), transmissions: Vec::new(), windows: Vec::new() };
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["w", _, window] => timeline.windows.push(window.parse().expect("a window")),
                [at, seq] if at.starts_with(|c: char| c.is_ascii_digit()) => {
                    timeline.transmissions.push((at.parse().expect("a time"), seq.parse().expect("a segment")));
                }
                [key] => drop(timeline.conditions.insert(key.to_owned(), String::new())),
                [key, value] => drop(timeline.conditions.insert(key.to_owned(), value.to_owned())),
                _ => panic!("unknown line {line:?}"),
            }
        }
        timeline
    }

    fn number(&self, key: &str) -> f64 {
        self.conditions[key].parse().expect("a number")
    }

    fn list(&self, key: &str) -> Vec<u64> {
        self.conditions[key].split(',').filter(|word| !word.is_empty()).map(|n| n.parse().expect("a number")).collect()
    }

    /// Transmissions and windows of hoplab under these conditions.
    fn ours(&self) -> (Vec<(f64, i64)>, Vec<f64>) {
        let window = self.number("window") as u32;
        // The Linux agent sets its own tick.
        let base = match self.conditions.get("profile").map(String::as_str) {
            Some("ns2_linux") => TcpConfig::ns2_linux(),
            Some(other) => panic!("unknown profile {other}"),
            None => TcpConfig { tick: Span::from_micros(100), ..TcpConfig::default() },
        };
        let mut tcp = TcpConfig {
            // On wired nodes ns-2 resets its agents after the script has set the window.
            initial_ssthresh: Some(window),
            delayed_ack: self.number("delayed") > 0.0,
            ..base
        };
        if self.number("steady") > 0.0 {
            tcp.new_reno_variant = NewRenoVariant::SlowButSteady;
        }
        let (congestion, recovery) = match self.conditions["sender"].as_str() {
            "tahoe" => (CongestionKind::Tahoe, RecoveryKind::Tahoe),
            "reno" => (CongestionKind::Reno, RecoveryKind::Reno),
            "new_reno" => (CongestionKind::Reno, RecoveryKind::NewReno),
            "sack" => (CongestionKind::Reno, RecoveryKind::Sack),
            "vegas" => (CongestionKind::Vegas, RecoveryKind::Vegas),
            "veno" => (CongestionKind::Veno, RecoveryKind::Sack),
            "westwood_plus" => (CongestionKind::WestwoodPlus, RecoveryKind::Sack),
            "bic" => (CongestionKind::Bic, RecoveryKind::Sack),
            "cubic" => (CongestionKind::Cubic, RecoveryKind::Sack),
            "compound" => (CongestionKind::Compound, RecoveryKind::Sack),
            other => panic!("unknown sender {other}"),
        };
        let app = match self.number("cbr") {
            0.0 => AppConfig::Ftp(Ftp),
            rate => AppConfig::Cbr(Cbr::at(Rate(rate))),
        };
        let spec = flow(Protocol::Tcp(Parts { congestion, recovery }), 1000, window, app);
        let link = Link { rate: Rate(self.number("rate")), delay: Span::from_secs(self.number("delay") * 1e-3) };
        let (data, acks) = (self.list("data"), self.list("acks"));
        let losses = move |end: End, nth: u64, _: &Payload| match end {
            End::Source => data.contains(&nth),
            End::Sink => acks.contains(&nth),
        };
        let mut pipe = Pipe::new(&spec, &tcp, link, losses);
        let first = pipe.connection.cwnd();
        let start = self.conditions.get("start").map_or(0.0, |at| at.parse().expect("a time"));
        pipe.run_until(Time::from_secs(start));
        pipe.start();
        pipe.run_until(Time::from_secs(self.number("until")));
        let windows = first.into_iter().chain(pipe.events.iter().filter_map(|event| match *event {
            Event::Acked { cwnd, .. } | Event::Timeout { cwnd, .. } => Some(cwnd),
            _ => None,
        }));
        (pipe.transmissions(), windows.collect())
    }
}

#[test]
fn transmissions_and_windows_match_ns2() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/ns2/timelines.txt.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(path).expect("timelines")).read_to_string(&mut text).expect("a readable file");
    let timelines: Vec<&str> = text.split("# ").skip(1).collect();
    assert_eq!(timelines.len(), 54);
    let failures: Vec<String> = timelines.iter().filter_map(|timeline| compare(timeline).err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {} timelines differ:\n{}",
        failures.len(),
        timelines.len(),
        failures.join("\n")
    );
}

/// Runs the conditions of a timeline, whose first line begins with its name. Returns the first difference as an error.
fn compare(timeline: &str) -> Result<(), String> {
    let (first, body) = timeline.split_once('\n').expect("a timeline after its name");
    let name = first.split(':').next().expect("a name");
    let theirs = Timeline::read(body);
    let (transmissions, windows) = theirs.ours();
    assert!(theirs.transmissions.len() > 30, "{name}: only {} transmissions", theirs.transmissions.len());
    for (i, (ours, theirs)) in transmissions.iter().zip(&theirs.transmissions).enumerate() {
        if ours.1 != theirs.1 || (ours.0 - theirs.0).abs() >= TOLERANCE_MS {
            let (seq, at) = (ours.1, ours.0);
            return Err(format!(
                "{name}: transmission {i} is segment {seq} at {at} ms, ns-2: {} at {}",
                theirs.1, theirs.0
            ));
        }
    }
    // Events at the end of the run may be missing on either side.
    if transmissions.len().abs_diff(theirs.transmissions.len()) > 2 {
        return Err(format!("{name}: {} transmissions, ns-2: {}", transmissions.len(), theirs.transmissions.len()));
    }
    let windows = changes(&windows);
    let theirs = changes(&theirs.windows);
    for (i, (ours, theirs)) in windows.iter().zip(&theirs).enumerate() {
        if (ours - theirs).abs() >= WINDOW_TOLERANCE {
            return Err(format!("{name}: window {i} is {ours}, ns-2: {theirs}"));
        }
    }
    if windows.len().abs_diff(theirs.len()) > 2 {
        return Err(format!("{name}: {} windows, ns-2: {}", windows.len(), theirs.len()));
    }
    Ok(())
}

/// The points of a curve at which it changes.
fn changes(curve: &[f64]) -> Vec<f64> {
    let mut changes: Vec<f64> = Vec::new();
    for &window in curve {
        if changes.last().is_none_or(|last| (last - window).abs() > WINDOW_TOLERANCE / 2.0) {
            changes.push(window);
        }
    }
    changes
}
