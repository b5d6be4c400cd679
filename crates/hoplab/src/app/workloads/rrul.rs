//! Latency under load in the manner of RRUL (Realtime Response Under Load, of flent): bulk transfers both ways, and pings over
//! TCP and UDP from `quiet` before them to their end.

use super::kind::{Content, DrawnFlow, SessionPlan, Setting, Workload};
use super::session::{Act, Action, Session, SessionReport, Times, at};
use crate::kernel::{End, Span, Time};

/// Bulk transfers each way.
const CONNECTIONS: u32 = 4;
/// Time between two pings.
const INTERVAL: Span = Span::from_millis(200);
/// Default of the time of pings before the load.
pub const QUIET: Span = Span::from_millis(5_000);

pub(super) struct Rrul;

impl Workload for Rrul {
    const SUMMARY: &'static str = "bulk transfers both ways, with pings before and beside them";
    const KEYS: &'static [&'static str] = &["connections", "interval", "quiet"];
    const NEEDS: &'static [(&'static [&'static str], &'static str)] = &[];

    fn flows(setting: &mut Setting<'_>) -> Vec<DrawnFlow> {
        let loaded = setting.start + setting.keys.quiet.unwrap_or(QUIET);
        let mut flows = Vec::new();
        for (session, &(server, client)) in (0..).zip(setting.pairs) {
            let mut add = |ends, start, content| flows.push(DrawnFlow { ends, start, content });
            let ping = |member| Content::Session { session, member, is_datagrams: member > 0 };
            add((server, client), setting.start, ping(0));
            add((server, client), setting.start, ping(1));
            add((client, server), setting.start, ping(2));
            for _ in 0..setting.keys.connections.unwrap_or(CONNECTIONS) {
                add((server, client), loaded, Content::Endless);
                add((client, server), loaded, Content::Endless);
            }
        }
        flows
    }

    fn session(plan: SessionPlan<'_>) -> Option<Box<dyn Session + Send>> {
        let rules = PingRules {
            interval: plan.keys.interval.unwrap_or(INTERVAL),
            loaded: plan.start + plan.keys.quiet.unwrap_or(QUIET),
            stop: plan.stop,
        };
        Some(Box::new(Pings::new(rules)))
    }
}

/// Parameters of pings. Flow 0 is a connection, flow 1 carries datagrams of the server, flow 2 those of the client.
#[derive(Clone, Debug)]
struct PingRules {
    /// Time between two pings.
    interval: Span,
    /// When the load begins.
    loaded: Time,
    /// When the last ping leaves.
    stop: Time,
}

/// Bytes of a ping over TCP, and of its echo.
const BYTES: u64 = 64;

#[derive(Debug)]
struct Pings {
    rules: PingRules,
    /// When the next ping leaves, and whether over UDP: the two take turns, and never leave together.
    next: Option<(Time, bool)>,
    /// When pings over TCP left, in order; those over UDP, by number.
    tcp_sent: Vec<Time>,
    udp_sent: Vec<Time>,
    tcp_heard: u64,
    tcp: [Times; 2],
    udp: [Times; 2],
    tcp_back: usize,
    /// By number of an echo over UDP, that of its ping.
    echoed: Vec<usize>,
}

impl Pings {
    fn new(rules: PingRules) -> Pings {
        Pings {
            rules,
            next: None,
            tcp_sent: Vec::new(),
            udp_sent: Vec::new(),
            tcp_heard: 0,
            tcp: [Times::default(), Times::default()],
            udp: [Times::default(), Times::default()],
            tcp_back: 0,
            echoed: Vec::new(),
        }
    }

    fn ping(&mut self, now: Time, is_datagram: bool, out: &mut Vec<Action>) {
        if is_datagram {
            out.push(at(2, End::Source, Act::Supply(1)));
            self.udp_sent.push(now);
        } else {
            out.push(at(0, End::Sink, Act::Supply(BYTES)));
            self.tcp_sent.push(now);
        }
        let half = Span(self.rules.interval.0 / 2);
        let wait = if is_datagram { Span(self.rules.interval.0 - half.0) } else { half };
        self.next = Some((now + wait, !is_datagram)).filter(|&(next, _)| next < self.rules.stop);
    }
}

impl Session for Pings {
    fn on_start(&mut self, now: Time, out: &mut Vec<Action>) {
        out.push(at(0, End::Sink, Act::Open));
        self.ping(now, false, out);
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<Action>) {
        if let Some((_, is_datagram)) = self.next.filter(|&(next, _)| next <= now) {
            self.ping(now, is_datagram, out);
        }
    }

    fn deadline(&self) -> Option<Time> {
        self.next.map(|(next, _)| next)
    }

    fn on_arrival(&mut self, now: Time, member: usize, end: End, total: u64, out: &mut Vec<Action>) {
        match (member, end) {
            // The server returns what it hears.
            (0, End::Source) => {
                while self.tcp_heard + BYTES <= total {
                    self.tcp_heard += BYTES;
                    out.push(at(0, End::Source, Act::Supply(BYTES)));
                }
            }
            (0, End::Sink) => {
                while (self.tcp_back as u64 + 1) * BYTES <= total {
                    let sent = self.tcp_sent[self.tcp_back];
                    self.tcp_back += 1;
                    self.tcp[usize::from(sent >= self.rules.loaded)].add(now.since(sent));
                }
            }
            (2, End::Sink) if total > 0 => {
                self.echoed.push(total as usize - 1);
                out.push(at(1, End::Source, Act::Supply(1)));
            }
            (1, End::Sink) if total > 0 => {
                if let Some(&ping) = self.echoed.get(total as usize - 1) {
                    let sent = self.udp_sent[ping];
                    self.udp[usize::from(sent >= self.rules.loaded)].add(now.since(sent));
                }
            }
            _ => {}
        }
    }

    fn report(&self, _now: Time) -> SessionReport {
        let mut report = SessionReport::default();
        let names = [("tcp_ping_idle", "tcp_ping"), ("udp_ping_idle", "udp_ping")];
        for ((idle, loaded), (sent, found)) in
            names.into_iter().zip([(&self.tcp_sent, &self.tcp), (&self.udp_sent, &self.udp)])
        {
            let before = sent.iter().filter(|&&at| at < self.rules.loaded).count();
            for (name, count, times) in [(idle, before, &found[0]), (loaded, sent.len() - before, &found[1])] {
                let unfinished = (count as u64).saturating_sub(times.secs.len() as u64);
                report.times.insert(name, Times { unfinished, ..times.clone() });
            }
        }
        report
    }
}
