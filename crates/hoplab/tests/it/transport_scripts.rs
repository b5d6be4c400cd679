//! Timelines of single ends, in `tests/scripts/transport/*.txt`: events with their times, and the expected output.
//!
//! ```text
//! sender new_reno window=20          transport, and settings that differ from ns2_oneway
//! 0.000 start                        endless supply (or: supply 5; stop)
//! expect send 0                      exactly the transmissions since the last action
//! 0.100 ack 0                        also: ack 5 sack 7-9 11    acks 1..18 every 0.001    dup 9 x3 every 0.001
//! expect send 1 2                    a star marks retransmissions: 10* 21 22
//! expect cwnd 2                      also: ssthresh, rto, timer (its expiry), timeouts, in_recovery
//! 0.300 timeout                      the timer must expire at exactly this time
//! receiver sack delayed              the other end; then: 0.1 segment 5, 0.2 due, expect ack 4 sack 5-6
//! ```
//! Levels of TCP Muzha come last: `ack 5 mrai 3`, `acks 1..4 every 0.01 mrai 2`, `dup 9 x3 mrai 1`. So does the echoed
//! timestamp of an acknowledgment: `ack 5 echo 0.1`; the default is 0. `ack 5 ece` echoes the mark of a queue; `segment 5 marked`
//! arrives with one, `segment 5 cwr` after a reduction. `no_route` and `route` are reports of the network.
//! Blocks include their last segment, `7-9` for three. Unexpected output is an error.

use hoplab::app::Supply;
use hoplab::kernel::Time;
use hoplab::packet::explicit::{Echo, ExplicitConfig, Feedback, MarkRule};
use hoplab::packet::{Ack, SegNo, Segment};
use hoplab::transport::{CongestionKind, NewRenoVariant, Parts, Receiver, RecoveryKind, Sender, TcpConfig};
use std::fs;
use std::path::Path;

#[test]
fn every_script_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/transport");
    let mut files: Vec<_> = fs::read_dir(folder).expect("scripts").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 25, "only {} scripts", files.len());
    let failures: Vec<String> = files
        .iter()
        .filter_map(|path| {
            let text = fs::read_to_string(path).expect("a readable script");
            run(&text).err().map(|what| format!("{}:{what}", path.file_name().expect("a name").to_string_lossy()))
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn wrong_script_fails() {
    let prefix = "sender reno\n0 start\nexpect send 0\n";
    for (wrong, why) in [
        ("0.1 ack 0\nexpect send 1\n", "sent"),
        ("0.1 ack 0\n0.2 ack 1\n", "unexpected"),
        ("0.1 ack 0\nexpect send 1 2\nexpect cwnd 3\n", "cwnd"),
        ("2.9 timeout\n", "timer"),
        ("0.1 ack 0\n", "unexpected"),
        ("0.1 nod 0\n", "unknown"),
    ] {
        let error = run(&format!("{prefix}{wrong}")).expect_err(wrong);
        assert!(error.contains(why), "{error:?} does not name {why:?}");
    }
}

enum Subject {
    None,
    Sender(Box<Sender>),
    Receiver(Receiver),
}

struct Runner {
    subject: Subject,
    now: Time,
    out: Vec<String>,
}

/// Runs a script. An error is `line: problem`.
fn run(text: &str) -> Result<(), String> {
    let mut runner = Runner { subject: Subject::None, now: Time::ZERO, out: Vec::new() };
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        last = index + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        runner.line(&words).map_err(|what| format!("{last}: {what} (at {line:?})"))?;
    }
    runner.nothing_left().map_err(|what| format!("{last}: {what}"))
}

impl Runner {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            ["sender", name, settings @ ..] => {
                let (config, window) = config(settings)?;
                self.subject = Subject::Sender(Box::new(Sender::new(&config, parts(name)?, 1000, window, 0.0)));
                self.now = Time::ZERO;
                Ok(())
            }
            ["receiver", settings @ ..] => {
                let config = TcpConfig { delayed_ack: settings.contains(&"delayed"), ..TcpConfig::default() };
                self.subject = Subject::Receiver(Receiver::new(&config, settings.contains(&"sack")));
                self.now = Time::ZERO;
                Ok(())
            }
            ["expect", what @ ..] => self.expect(what),
            [time, action @ ..] => {
                self.nothing_left()?;
                let at = Time::from_secs(time.parse().map_err(|_| format!("unknown line {time}"))?);
                if at < self.now {
                    return Err(format!("{at} is in the past"));
                }
                self.now = at;
                self.act(action)
            }
            [] => Ok(()),
        }
    }

    fn act(&mut self, action: &[&str]) -> Result<(), String> {
        let now = self.now;
        match (&mut self.subject, action) {
            (Subject::Sender(sender), ["start"]) => sender.on_supply(now, Supply::Endless),
            (Subject::Sender(sender), ["supply", count]) => {
                sender.on_supply(now, Supply::Segments(number(count)? as u32));
            }
            (Subject::Sender(sender), ["stop"]) => sender.close(now),
            (Subject::Sender(sender), ["ack", rest @ ..]) => sender.on_ack(now, &ack(rest)?),
            (Subject::Sender(sender), ["acks", range, every @ ..]) => {
                let (every, feedback) = level(every)?;
                let gap = gap(every)?;
                for seq in list(range)? {
                    sender.on_ack(self.now, &Ack { feedback, ..Ack::plain(seq, Time::ZERO) });
                    self.now = Time::from_secs(self.now.secs() + gap);
                }
                self.now = Time::from_secs(self.now.secs() - gap);
            }
            (Subject::Sender(sender), ["dup", seq, times, every @ ..]) => {
                let times = number(times.strip_prefix('x').ok_or("dup requires a count such as x3")?)?;
                let (every, feedback) = level(every)?;
                let gap = gap(every)?;
                for _ in 0..times {
                    sender.on_ack(self.now, &Ack { feedback, ..Ack::plain(number(seq)?, Time::ZERO) });
                    self.now = Time::from_secs(self.now.secs() + gap);
                }
                self.now = Time::from_secs(self.now.secs() - gap);
            }
            (Subject::Sender(sender), ["timeout"]) => {
                close_to("timer", sender.deadline().map_or(f64::NAN, Time::secs), now.secs())?;
                sender.on_timeout(now.max(sender.deadline().expect("a timer")));
            }
            (Subject::Sender(sender), ["no_route"]) => sender.on_route_failure(now),
            (Subject::Sender(sender), ["route"]) => sender.on_route_restored(now),
            (Subject::Receiver(receiver), ["segment", seq, flags @ ..]) => {
                let seq = number(seq)?;
                if flags.contains(&"marked") {
                    receiver.on_mark();
                }
                let segment = Segment {
                    seq,
                    payload: 1000,
                    sent_at: now,
                    first_sent: now,
                    is_retransmission: false,
                    is_ect: false,
                    has_cwr: flags.contains(&"cwr"),
                    feedback: Feedback::None,
                };
                let received = receiver.on_segment(now, &segment);
                self.out.extend(received.ack.map(|ack| show(&ack)));
            }
            (Subject::Receiver(receiver), ["due"]) => {
                close_to("timer", receiver.deadline().map_or(f64::NAN, Time::secs), now.secs())?;
                self.out.extend(receiver.on_deadline().map(|ack| show(&ack)));
            }
            _ => return Err(format!("unknown action {action:?}")),
        }
        if let Subject::Sender(sender) = &mut self.subject {
            let star = |is_retransmission: bool| if is_retransmission { "*" } else { "" };
            let sent = sender.take_sent(40);
            self.out.extend(sent.map(|(sent, _)| format!("{}{}", sent.seq, star(sent.is_retransmission))));
        }
        Ok(())
    }

    fn expect(&mut self, what: &[&str]) -> Result<(), String> {
        match what {
            ["nothing"] => return self.nothing_left(),
            ["send", segments @ ..] => {
                let mut expected = Vec::new();
                for word in segments {
                    let star = if word.ends_with('*') { "*" } else { "" };
                    expected.extend(list(word.trim_end_matches('*'))?.into_iter().map(|seq| format!("{seq}{star}")));
                }
                let sent = std::mem::take(&mut self.out);
                return if sent == expected { Ok(()) } else { Err(format!("sent {}", sent.join(" "))) };
            }
            ["ack", ..] => {
                let sent = std::mem::take(&mut self.out);
                return if sent == [what.join(" ")] { Ok(()) } else { Err(format!("sent {}", sent.join(", "))) };
            }
            _ => {}
        }
        let [what, value] = what else { return Err(format!("unknown expectation {what:?}")) };
        let found = match (&self.subject, *what) {
            (Subject::Sender(sender), "in_recovery") => {
                let is = if sender.in_recovery() { "yes" } else { "no" };
                return if is == *value { Ok(()) } else { Err(format!("in_recovery is {is}")) };
            }
            (Subject::Sender(sender), "timer") if *value == "none" => {
                return sender.deadline().map_or(Ok(()), |at| Err(format!("timer is {at}")));
            }
            (Subject::Receiver(receiver), "timer") if *value == "none" => {
                return receiver.deadline().map_or(Ok(()), |at| Err(format!("timer is {at}")));
            }
            (Subject::Sender(sender), "cwnd") => sender.cwnd(),
            (Subject::Sender(sender), "ssthresh") => sender.ssthresh(),
            (Subject::Sender(sender), "rto") => sender.tcb().rtt.rto().secs(),
            (Subject::Sender(sender), "timer") => sender.deadline().map_or(f64::NAN, Time::secs),
            (Subject::Sender(sender), "timeouts") => sender.counts().timeouts as f64,
            (Subject::Sender(sender), "fast_retransmits") => sender.counts().fast_retransmits as f64,
            (Subject::Receiver(receiver), "timer") => receiver.deadline().map_or(f64::NAN, Time::secs),
            _ => return Err(format!("unknown expectation {what}")),
        };
        close_to(what, found, value.parse().map_err(|_| format!("{value} is no number"))?)
    }

    fn nothing_left(&self) -> Result<(), String> {
        if self.out.is_empty() { Ok(()) } else { Err(format!("unexpected: {}", self.out.join(", "))) }
    }
}

fn parts(name: &str) -> Result<Parts, String> {
    let (congestion, recovery) = match name {
        "timeout_only" => (CongestionKind::Reno, RecoveryKind::TimeoutOnly),
        "tahoe" => (CongestionKind::Tahoe, RecoveryKind::Tahoe),
        "reno" => (CongestionKind::Reno, RecoveryKind::Reno),
        "new_reno" => (CongestionKind::Reno, RecoveryKind::NewReno),
        "sack" => (CongestionKind::Reno, RecoveryKind::Sack),
        "vegas" => (CongestionKind::Vegas, RecoveryKind::Vegas),
        "tcp_f" => (CongestionKind::Reno, RecoveryKind::TcpF),
        "atcp" => (CongestionKind::Reno, RecoveryKind::Atcp),
        "muzha" => (CongestionKind::Muzha, RecoveryKind::Muzha),
        _ => return Err(format!("unknown transport {name}")),
    };
    Ok(Parts { congestion, recovery })
}

fn config(settings: &[&str]) -> Result<(TcpConfig, u32), String> {
    let is_rfc = settings.contains(&"profile=rfc");
    let mut config = if is_rfc { TcpConfig::rfc() } else { TcpConfig::default() };
    let mut window = 20;
    let mut explicit = ExplicitConfig::default();
    for setting in settings {
        match setting.split_once('=').ok_or(format!("{setting} is no setting"))? {
            ("profile", "rfc") => {}
            ("window", value) => window = number(value)? as u32,
            ("initial_window", value) => config.initial_window = Some(number(value)? as u32),
            ("ssthresh", value) => config.initial_ssthresh = Some(number(value)? as u32),
            ("threshold", value) => config.dup_ack_threshold = number(value)? as u32,
            ("limited_transmit", "off") => config.limited_transmit = false,
            ("ecn", "on") => config.ecn = true,
            ("snooze", value) => {
                config.tcp_f_timer =
                    Time::from_secs(value.parse().map_err(|_| format!("{value} is no time"))?).since(Time::ZERO);
            }
            ("timestamps", "on") => config.timestamps = true,
            ("variant", "slow_but_steady") => config.new_reno_variant = NewRenoVariant::SlowButSteady,
            ("mark_rule", "all") => explicit.muzha.mark_rule = MarkRule::All,
            ("start", value) => explicit.muzha.initial_window = number(value)? as u32,
            ("own_limited_transmit", "off") => explicit.muzha.limited_transmit = Some(false),
            _ => return Err(format!("unknown setting {setting}")),
        }
    }
    config.congestion.share(&explicit);
    Ok((config, window))
}

/// `5 sack 7-9 11`, blocks including their last segment; `5 mrai 3`; `5 echo 0.1`.
fn ack(words: &[&str]) -> Result<Ack, String> {
    let (words, feedback) = level(words)?;
    let (words, has_ece) = match words {
        [rest @ .., "ece"] => (rest, true),
        _ => (words, false),
    };
    let (words, echo) = match words {
        [rest @ .., "echo", at] => (rest, Time::from_secs(at.parse().map_err(|_| format!("{at} is no time"))?)),
        _ => (words, Time::ZERO),
    };
    let mut ack = Ack { feedback, has_ece, ..Ack::plain(number(words[0])?, echo) };
    for block in words.iter().skip(2) {
        let (first, last) = block.split_once('-').unwrap_or((block, block));
        ack.blocks[ack.block_count as usize] = (number(first)?, number(last)? + 1);
        ack.block_count += 1;
    }
    Ok(ack)
}

/// Splits off the level at the end of a line.
fn level<'w>(words: &'w [&'w str]) -> Result<(&'w [&'w str], Echo), String> {
    match words {
        [rest @ .., "mrai", level] => Ok((rest, Echo::Mrai(number(level)? as u8))),
        _ => Ok((words, Echo::None)),
    }
}

fn show(ack: &Ack) -> String {
    let block = |&(first, end): &(SegNo, SegNo)| {
        if first + 1 == end { format!(" {first}") } else { format!(" {first}-{}", end - 1) }
    };
    let blocks: String = ack.blocks().iter().map(block).collect();
    let sack = if blocks.is_empty() { "" } else { " sack" };
    let ece = if ack.has_ece { " ece" } else { "" };
    format!("ack {}{sack}{blocks}{ece}", ack.cumulative)
}

/// `5` or `5..9`, both ends included.
fn list(word: &str) -> Result<Vec<SegNo>, String> {
    match word.split_once("..") {
        Some((first, last)) => Ok((number(first)?..=number(last)?).collect()),
        None => Ok(vec![number(word)?]),
    }
}

fn gap(words: &[&str]) -> Result<f64, String> {
    match words {
        [] => Ok(0.0),
        ["every", gap] => gap.parse().map_err(|_| format!("{gap} is no time")),
        _ => Err(format!("unknown {words:?}")),
    }
}

fn number(word: &str) -> Result<SegNo, String> {
    word.parse().map_err(|_| format!("{word} is no number"))
}

fn close_to(what: &str, found: f64, expected: f64) -> Result<(), String> {
    let is_close = found == expected || (found - expected).abs() < 1e-6;
    if is_close { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
}
