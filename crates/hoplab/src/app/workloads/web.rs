//! Web users: a page, then its objects over several connections that stay open, then time to read.
//!
//! The receivers of the data are the users. A page comes over the first connection, its objects over all. The sizes where none
//! are given are assumed.

use super::kind::{ASK, DrawnFlow, SessionPlan, Setting, Workload, members};
use super::session::{Act, Action, Session, SessionReport, Times, at};
use super::sizes::{SizeConfig, SizeTable};
use crate::kernel::{Bytes, End, RandomStream, Span, Time, exponential};

/// Connections of a user: what browsers open to a host.
const CONNECTIONS: u32 = 6;
/// Objects of a page.
const OBJECTS: u32 = 20;
/// Size of a page without its objects.
const PAGE: Bytes = Bytes(40_000);
/// Median and deviation of the sizes of objects.
const OBJECT: (Bytes, f64) = (Bytes(10_000), 1.0);
/// Mean time between two pages.
const READING: Span = Span::from_millis(10_000);

pub(super) struct WebUsers;

impl Workload for WebUsers {
    const SUMMARY: &'static str = "users who open pages with objects, and read";
    const KEYS: &'static [&'static str] =
        &["count", "start_spread", "ask", "page", "objects", "object", "connections", "reading"];
    const NEEDS: &'static [(&'static [&'static str], &'static str)] = &[];

    fn flows(setting: &mut Setting<'_>) -> Vec<DrawnFlow> {
        members(setting, setting.keys.connections.unwrap_or(CONNECTIONS))
    }

    fn session(plan: SessionPlan<'_>) -> Option<Box<dyn Session + Send>> {
        let keys = plan.keys;
        let (median, lognormal) = OBJECT;
        let usual = SizeTable { lognormal: Some(lognormal), median: Some(median), ..SizeTable::default() };
        let rules = PageRules {
            ask: u64::from(keys.ask.unwrap_or(ASK).0),
            page: keys.page.clone().unwrap_or(SizeConfig::Fixed(PAGE)),
            objects: keys.objects.unwrap_or(OBJECTS),
            object: keys.object.clone().unwrap_or(SizeConfig::Drawn(usual)),
            connections: keys.connections.unwrap_or(CONNECTIONS) as usize,
            reading: keys.reading.unwrap_or(READING),
            stop: plan.stop,
        };
        Some(Box::new(Browsing::new(rules, plan.sizes)))
    }
}

/// Parameters of pages.
#[derive(Clone, Debug)]
struct PageRules {
    /// Bytes of a request.
    ask: u64,
    /// Bytes of a page without its objects.
    page: SizeConfig,
    /// Objects of a page.
    objects: u32,
    /// Bytes of an object.
    object: SizeConfig,
    /// Connections.
    connections: usize,
    /// Mean time between the end of a page and the request of the next.
    reading: Span,
    /// When no further page is opened.
    stop: Time,
}

/// One connection: bytes that each end waits for in all.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    is_open: bool,
    is_busy: bool,
    asked: u64,
    answered: u64,
    /// Whether the server answers the request.
    is_answered: bool,
}

#[derive(Debug)]
struct Browsing {
    rules: PageRules,
    sizes: RandomStream,
    lines: Vec<Line>,
    /// Sizes of objects that are not requested yet.
    waiting: Vec<u64>,
    /// Requests without a whole response.
    open: u32,
    is_page: bool,
    begun: Option<Time>,
    next: Option<Time>,
    times: Times,
    bytes: Vec<u64>,
}

impl Browsing {
    fn new(rules: PageRules, sizes: RandomStream) -> Browsing {
        let lines = vec![Line::default(); rules.connections.max(1)];
        let bytes = vec![0; lines.len()];
        Browsing {
            rules,
            sizes,
            lines,
            waiting: Vec::new(),
            open: 0,
            is_page: false,
            begun: None,
            next: None,
            times: Times::default(),
            bytes,
        }
    }

    fn open_page(&mut self, now: Time, out: &mut Vec<Action>) {
        self.begun = Some(now);
        self.next = None;
        self.is_page = true;
        let bytes = u64::from(self.rules.page.draw(&mut self.sizes));
        self.request(0, bytes, out);
    }

    /// Asks for `bytes` over a connection.
    fn request(&mut self, member: usize, bytes: u64, out: &mut Vec<Action>) {
        let line = &mut self.lines[member];
        if !line.is_open {
            line.is_open = true;
            out.push(at(member, End::Sink, Act::Open));
        }
        line.is_busy = true;
        line.is_answered = false;
        line.asked += self.rules.ask;
        self.bytes[member] = bytes;
        self.open += 1;
        out.push(at(member, End::Sink, Act::Supply(self.rules.ask)));
    }

    /// Requests objects over free connections; the page is over if none is left.
    fn go_on(&mut self, now: Time, out: &mut Vec<Action>) {
        for member in 0..self.lines.len() {
            if !self.lines[member].is_busy
                && let Some(bytes) = self.waiting.pop()
            {
                self.request(member, bytes, out);
            }
        }
        if self.open == 0
            && let Some(begun) = self.begun.take()
        {
            self.times.add(now.since(begun));
            let reading = Span::from_secs(exponential(self.rules.reading.secs(), self.sizes.unit()));
            self.next = Some(now + reading.max(Span(1))).filter(|&next| next < self.rules.stop);
        }
    }
}

impl Session for Browsing {
    fn on_start(&mut self, now: Time, out: &mut Vec<Action>) {
        self.open_page(now, out);
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<Action>) {
        if self.next.is_some_and(|next| next <= now) {
            self.open_page(now, out);
        }
    }

    fn deadline(&self) -> Option<Time> {
        self.next
    }

    fn on_arrival(&mut self, now: Time, member: usize, end: End, total: u64, out: &mut Vec<Action>) {
        let line = &mut self.lines[member];
        match end {
            End::Source if line.is_busy && !line.is_answered && total >= line.asked => {
                line.is_answered = true;
                line.answered += self.bytes[member];
                out.push(at(member, End::Source, Act::Supply(self.bytes[member])));
            }
            End::Sink if line.is_busy && line.is_answered && total >= line.answered => {
                line.is_busy = false;
                self.open -= 1;
                if std::mem::take(&mut self.is_page) {
                    let object = &self.rules.object;
                    let sizes = &mut self.sizes;
                    self.waiting = (0..self.rules.objects).map(|_| u64::from(object.draw(sizes))).collect();
                }
                self.go_on(now, out);
            }
            End::Source | End::Sink => {}
        }
    }

    fn report(&self, _now: Time) -> SessionReport {
        let mut report = SessionReport::default();
        report.times.insert("page", Times { unfinished: u64::from(self.begun.is_some()), ..self.times.clone() });
        report
    }
}
