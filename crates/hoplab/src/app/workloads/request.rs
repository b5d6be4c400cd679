//! Requests and responses: clients that ask a server, each over one connection that stays open.
//!
//! The receivers of the data are the clients. A response follows `think` after the last byte of its request; the next request
//! follows the response, or `interval` after the last request if that is later.

use super::kind::{DrawnFlow, SessionPlan, Setting, Workload, members};
use super::session::{Act, Action, Session, SessionReport, Times, at};
use super::sizes::SizeConfig;
use crate::kernel::{Bytes, End, RandomStream, Span, Time};

pub(super) struct RequestFlows;

impl Workload for RequestFlows {
    const SUMMARY: &'static str = "requests and responses over connections that stay open";
    const KEYS: &'static [&'static str] = &["count", "start_spread", "ask", "answer", "think", "times", "interval"];
    const NEEDS: &'static [(&'static [&'static str], &'static str)] = &[(&["answer"], "answer = \"10 kB\"")];

    fn flows(setting: &mut Setting<'_>) -> Vec<DrawnFlow> {
        members(setting, 1)
    }

    fn session(plan: SessionPlan<'_>) -> Option<Box<dyn Session + Send>> {
        let keys = plan.keys;
        let rules = ExchangeRules {
            ask: u64::from(keys.ask.unwrap_or(super::kind::ASK).0),
            answer: keys.answer.clone().unwrap_or(SizeConfig::Fixed(Bytes(1))),
            think: keys.think.unwrap_or(Span::ZERO),
            times: keys.times.unwrap_or(1),
            interval: keys.interval.unwrap_or(Span::ZERO),
        };
        Some(Box::new(Exchanges::new(rules, plan.sizes)))
    }
}

/// Parameters of exchanges.
#[derive(Clone, Debug)]
struct ExchangeRules {
    /// Bytes of a request.
    ask: u64,
    /// Bytes of a response.
    answer: SizeConfig,
    /// Time of the server between the last byte of a request and the first of its response.
    think: Span,
    /// Number of exchanges.
    times: u32,
    /// Time from one request to the next, if the response is there by then.
    interval: Span,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The server waits for the request.
    Asks,
    /// The server answers then.
    Thinks(Time),
    /// The client waits for the response.
    Answers,
    /// The client asks then.
    Pauses(Time),
    Done,
}

#[derive(Debug)]
struct Exchanges {
    rules: ExchangeRules,
    sizes: RandomStream,
    step: Step,
    begun: Time,
    asked: u64,
    answered: u64,
    count: u32,
    times: Times,
}

impl Exchanges {
    fn new(rules: ExchangeRules, sizes: RandomStream) -> Exchanges {
        Exchanges {
            rules,
            sizes,
            step: Step::Done,
            begun: Time::ZERO,
            asked: 0,
            answered: 0,
            count: 0,
            times: Times::default(),
        }
    }

    fn ask(&mut self, now: Time, out: &mut Vec<Action>) {
        self.begun = now;
        self.count += 1;
        self.asked += self.rules.ask;
        self.step = Step::Asks;
        out.push(at(0, End::Sink, Act::Supply(self.rules.ask)));
    }
}

impl Session for Exchanges {
    fn on_start(&mut self, now: Time, out: &mut Vec<Action>) {
        out.push(at(0, End::Sink, Act::Open));
        self.ask(now, out);
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<Action>) {
        match self.step {
            Step::Thinks(until) if until <= now => {
                let bytes = u64::from(self.rules.answer.draw(&mut self.sizes));
                self.answered += bytes;
                self.step = Step::Answers;
                out.push(at(0, End::Source, Act::Supply(bytes)));
            }
            Step::Pauses(until) if until <= now => self.ask(now, out),
            _ => {}
        }
    }

    fn deadline(&self) -> Option<Time> {
        match self.step {
            Step::Thinks(at) | Step::Pauses(at) => Some(at),
            Step::Asks | Step::Answers | Step::Done => None,
        }
    }

    fn on_arrival(&mut self, now: Time, _member: usize, end: End, total: u64, out: &mut Vec<Action>) {
        match (end, self.step) {
            (End::Source, Step::Asks) if total >= self.asked => {
                self.step = Step::Thinks(now + self.rules.think);
                self.on_deadline(now, out);
            }
            (End::Sink, Step::Answers) if total >= self.answered => {
                self.times.add(now.since(self.begun));
                if self.count < self.rules.times {
                    self.step = Step::Pauses(now.max(self.begun + self.rules.interval));
                    self.on_deadline(now, out);
                } else {
                    self.step = Step::Done;
                    out.push(at(0, End::Sink, Act::Close));
                }
            }
            _ => {}
        }
    }

    fn report(&self, _now: Time) -> SessionReport {
        let mut report = SessionReport::default();
        let unfinished = u64::from(self.count) - self.times.secs.len() as u64;
        report.times.insert("exchange", Times { unfinished, ..self.times.clone() });
        report
    }
}
