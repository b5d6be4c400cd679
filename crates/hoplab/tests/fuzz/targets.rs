//! What each fuzz target does with its bytes. The same functions replay the corpora in `cargo test`
//! (`tests/it/fuzz_corpus.rs`) and are called by libFuzzer (`fuzz/`).
//!
//! None of them may panic, take longer than a second, or need more than 512 MiB.

use crate::check::check;
use crate::hints::advice;
use crate::variables;
use hoplab::app::Supply;
use hoplab::kernel::{Span, Time};
use hoplab::mobility::import::tcl::{Host, Interpreter, Script, quoted, source};
use hoplab::packet::Ack;
use hoplab::packet::explicit::Echo;
use hoplab::scenario::{NamedFile, Resolved, cbrgen, files_named};
use hoplab::transport::{CongestionKind, Parts, RecoveryKind, Sender, TcpConfig};
use hoplab::world::World;

/// A fuzz target.
pub struct Target {
    /// Its name, and that of its corpus in `fuzz/corpus`.
    pub name: &'static str,
    /// What it does with bytes.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 10] = [
    Target { name: "scenario", run: scenario },
    Target { name: "overrides", run: overrides },
    Target { name: "setdest", run: setdest },
    Target { name: "bonnmotion", run: bonnmotion },
    Target { name: "csv", run: csv },
    Target { name: "tcl", run: tcl },
    Target { name: "traffic", run: traffic },
    Target { name: "hints", run: hints },
    Target { name: "sender", run: sender },
    Target { name: "world", run: world },
];

/// Events after which a run that was made of bytes is left.
const MOST_EVENTS: u64 = 30_000;

/// Nodes of a network that is still run.
const MOST_NODES: usize = 50;

/// Scenario files: read, and if accepted written out, read again, and begun.
pub fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    read(text, &[], &[]);
}

/// `--set`: a key and a value in each line, over a scenario that is right.
pub fn overrides(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let pairs: Vec<(String, String)> =
        text.lines().filter_map(|line| line.split_once('=')).map(|(key, value)| (key.into(), value.into())).collect();
    let base = "duration = \"2 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[node]]\nid = 1\n[[flow]]\n[[flow]]\n";
    read(base, &pairs, &[]);
}

/// Movement files of ns-2's `setdest`.
pub fn setdest(bytes: &[u8]) {
    movement(bytes, "setdest");
}

/// Movement files of BonnMotion.
pub fn bonnmotion(bytes: &[u8]) {
    movement(bytes, "bonnmotion");
}

/// Movement files as tables.
pub fn csv(bytes: &[u8]) {
    movement(bytes, "csv");
}

fn movement(bytes: &[u8], kind: &str) {
    // The first byte chooses what else the scenario says of the movement.
    let (&choice, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let more = ["", "skip = \"2 s\"\n", "area = [\"500 m\", \"500 m\"]\n", "stationary_nodes = [0]\n"]
        [usize::from(choice) % 4];
    let more = [
        more,
        if choice & 32 == 0 { "" } else { "renumber = true\n" },
        if choice & 64 == 0 { "" } else { "off_when_absent = true\n" },
        if choice & 128 == 0 { "" } else { "edge = \"clip\"\n" },
    ]
    .concat();
    let nodes = if choice & 16 == 0 { "" } else { "[topology]\nkind = \"random\"\nnodes = 3\n" };
    let scenario = format!(
        "duration = \"4 s\"\n{nodes}[mobility]\nkind = \"{kind}\"\nfile = \"m\"\n{more}[routing]\nprotocol = \"aodv\"\n[[flow]]\n"
    );
    let files: Vec<NamedFile> = files_named(&scenario, "fuzz.toml", &[])
        .into_iter()
        .map(|name| NamedFile { path: name.clone(), name, text: Ok(text.to_owned()) })
        .collect();
    read(&scenario, &[], &files);
}

/// Words of Tcl: each command has one, and a list of the words of a command is read back as them.
pub fn tcl(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut interpreter = Interpreter::default();
    for command in Script::new(&source(text), 1).flatten() {
        assert!(!command.words.is_empty(), "{:?}", command.text);
        let Ok(words) = interpreter.words(&command, &mut Unrun) else { continue };
        let list = format!("x {}", words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
        let again: Vec<_> = Script::new(&list, 1).map(|command| command.expect("a list")).collect();
        assert_eq!(again.len(), 1, "{list:?}");
        let again = interpreter.words(&again[0], &mut Unrun).expect("plain words");
        assert_eq!(again[1..], words, "{list:?}");
    }
}

/// No command is run for its result.
struct Unrun;

impl Host for Unrun {
    fn call(&mut self, _: &mut Interpreter, _: u32, words: &[String]) -> Result<String, String> {
        Err(words.join(" "))
    }
}

/// Traffic files of ns-2's `cbrgen`: alone, and in a scenario.
pub fn traffic(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = cbrgen(text, "t", 9);
    let scenario = "duration = \"4 s\"\n[topology]\nkind = \"chain\"\nhops = 8\n[traffic]\nfile = \"t\"\n";
    read(scenario, &[], &[NamedFile { name: "t".into(), path: "t".into(), text: Ok(text.to_owned()) }]);
}

/// Hints on scenario files: where one is followed, it is not given again.
pub fn hints(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Err(error) = Resolved::parse(text, "fuzz.toml", &[]) else { return };
    let hints = error.diagnostics().iter().filter_map(|one| Some((one.key.clone(), one.hint.clone()?)));
    for (key, hint) in hints.take(MOST_HINTS) {
        let settings: Vec<_> = advice(&key, &hint).into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        if settings.is_empty() {
            continue;
        }
        let Err(after) = Resolved::parse(text, "fuzz.toml", &settings) else { continue };
        let again = after.diagnostics().iter().find(|one| {
            one.hint.as_ref() == Some(&hint) && settings.iter().any(|(key, _)| one.path == format!("--set {key}"))
        });
        assert!(again.is_none(), "{hint:?} is given again: {}", again.map_or("", |one| &one.message));
    }
}

/// Hints of a message that are followed.
const MOST_HINTS: usize = 5;

/// Senders: the first bytes choose the parts, the rest what happens to them.
pub fn sender(bytes: &[u8]) {
    let [congestion, recovery, profile, window, rest @ ..] = bytes else { return };
    let recovery = RecoveryKind::ALL[usize::from(*recovery) % RecoveryKind::ALL.len()];
    let congestion = CongestionKind::ALL[usize::from(*congestion) % CongestionKind::ALL.len()];
    // Muzha's repair goes by marks that Muzha's window alone understands.
    let congestion = if recovery == RecoveryKind::Muzha { CongestionKind::Muzha } else { congestion };
    let profiles = [TcpConfig::default(), TcpConfig::rfc(), TcpConfig::ns2_linux()];
    let config = &profiles[usize::from(*profile) % 3];
    let window = 1 + u32::from(*window);
    let mut sender = Sender::new(config, Parts { congestion, recovery }, 1000, window, 0.3);
    let mut now = Time::ZERO;
    sender.on_supply(now, Supply::Segments(500));
    let mut una = 0;
    for step in rest.chunks_exact(2).take(2_000) {
        let [what, how] = step else { continue };
        match what % 5 {
            0 => {
                let until = now + Span::from_millis(u64::from(*how));
                now = sender.deadline().map_or(until, |timer| until.min(timer.max(now)));
            }
            1 | 2 => {
                let ack = acknowledgment(&sender, i64::from(*how % 8) - 1, *how, *what > 127);
                sender.on_ack(now, &ack);
            }
            3 => {
                if let Some(timer) = sender.deadline() {
                    now = now.max(timer);
                    sender.on_timeout(now);
                }
            }
            _ => sender.on_supply(now, Supply::Segments(u32::from(*how))),
        }
        let sent = sender.take_sent(40).count();
        let (cwnd, ssthresh) = (sender.cwnd(), sender.ssthresh());
        let tcb = sender.tcb();
        assert!(tcb.snd_una >= una && tcb.snd_una <= tcb.snd_max, "snd_una {}", tcb.snd_una);
        una = tcb.snd_una;
        assert!(sent <= 65_536, "{sent} segments at once");
        assert!(cwnd.is_finite() && cwnd >= 0.0, "cwnd {cwnd}");
        assert!(!ssthresh.is_nan() && ssthresh > 0.0, "ssthresh {ssthresh}");
        assert!(tcb.in_flight() == 0 || tcb.deadline().is_some(), "in flight without a timer");
    }
}

fn acknowledgment(sender: &Sender, ahead: i64, how: u8, has_block: bool) -> Ack {
    let tcb = sender.tcb();
    let cumulative = (tcb.acked() + ahead).clamp(-1, tcb.snd_max - 1);
    let mut ack = Ack::plain(cumulative, Time::ZERO);
    let (first, last) = (cumulative + 2 + i64::from(how >> 6), tcb.snd_max);
    if has_block && first < last {
        ack.blocks[0] = (first, last.min(first + i64::from(how >> 3 & 7) + 1));
        ack.block_count = 1;
    }
    ack.feedback = if how & 32 == 0 { Echo::None } else { Echo::Mrai(1 + how % 5) };
    ack
}

/// Whole runs: the bytes choose a scenario as the soak does, and everything is looked at while it runs.
pub fn world(bytes: &[u8]) {
    let mut draft = variables::chosen(bytes);
    draft.mend().expect("a scenario");
    draft.settings.retain(|setting| setting.key != "duration" && setting.key != "warmup");
    draft.settings.insert(0, crate::draft::Setting::new("duration", "\"1.8 s\""));
    draft.mend().expect("a scenario");
    if let Err(violation) = check(&draft) {
        panic!("{violation}\n{}", draft.text());
    }
}

/// Reads, and looks at what came out in every way there is.
fn read(text: &str, overrides: &[(String, String)], files: &[NamedFile]) {
    let resolved = match Resolved::parse_with(text, "fuzz.toml", overrides, files) {
        Ok(resolved) => resolved,
        Err(error) => {
            let message = error.to_string();
            let is_clean = !message.chars().any(|c| c.is_control() && c != '\n');
            assert!(!message.is_empty() && is_clean && message.len() < 20_000, "{message:?}");
            return;
        }
    };
    let written = resolved.to_toml();
    let again = Resolved::parse_with(&written, "again.toml", &[], files);
    match again {
        Ok(again) => assert_eq!(again.canonical(), resolved.canonical(), "as written out"),
        Err(error) => panic!("refused as written out: {error}\n{written}"),
    }
    let _ = (resolved.to_json(), resolved.facts());
    if resolved.positions.len() > MOST_NODES || resolved.flows.len() > MOST_NODES {
        return;
    }
    let Ok(mut world) = World::build(&resolved, 1) else { return };
    if let Err(error) = world.advance(resolved.end(), MOST_EVENTS).and_then(|_| world.audit()) {
        panic!("{error}");
    }
}
