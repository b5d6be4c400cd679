//! A line of nodes without radio: every hop has a delay and may lose, duplicate or reorder packets; proxies may fail
//! and the path may change. Only source, proxies and destination of Split TCP are under test.

use hoplab::app::Supply;
use hoplab::kernel::{FlowId, NodeId, Purpose, RandomStream, RandomStreams, Span, Time};
use hoplab::packet::{Ack, Lack, SegNo, SplitSegment};
use hoplab::transport::proxy::split_tcp::{Sink, Source, SplitProxy, SplitTcpConfig, stream_digest};
use hoplab::transport::proxy::{Proxy, ProxyCounts, ProxyOut, ProxyView, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub const FLOW: FlowId = FlowId(0);

/// A packet in transit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire {
    Data(SplitSegment),
    Lack(Lack),
    Ack(Ack),
}

/// Probabilities of faults at each hop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub loss: f64,
    pub duplicate: f64,
    pub reorder: f64,
}

/// A transmission over one hop.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub at: Time,
    pub from: u32,
    pub wire: Wire,
}

pub struct Lab {
    pub now: Time,
    pub source: Source,
    pub sink: Sink,
    proxies: BTreeMap<u32, SplitProxy>,
    failed: BTreeSet<u32>,
    down: BTreeMap<u32, u32>,
    up: BTreeMap<u32, u32>,
    ends: (u32, u32),
    delays: BTreeMap<(u32, u32), Span>,
    cut: BTreeSet<(u32, u32)>,
    pub faults: Faults,
    /// Selects transmissions to lose, before any other fault.
    pub loses: Box<dyn FnMut(&Sent) -> bool>,
    stream: RandomStream,
    in_transit: BTreeMap<(Time, u64), (u32, Wire, u16)>,
    order: u64,
    pub sent: Vec<Sent>,
    /// When each segment was delivered in order.
    pub delivered_at: Vec<Time>,
}

pub const HOP: Span = Span::from_millis(10);

impl Lab {
    /// A source, this many hops, and a destination; every relay may be a proxy.
    pub fn new(hops: u32, config: &SplitTcpConfig, seed: u64) -> Lab {
        let config = Arc::new(config.clone());
        let mut lab = Lab {
            now: Time::ZERO,
            source: Source::new(FLOW, NodeId(0), Arc::clone(&config), 1000),
            sink: Sink::new(NodeId(hops), Arc::clone(&config)),
            proxies: BTreeMap::new(),
            failed: BTreeSet::new(),
            down: BTreeMap::new(),
            up: BTreeMap::new(),
            ends: (0, hops),
            delays: BTreeMap::new(),
            cut: BTreeSet::new(),
            faults: Faults::default(),
            loses: Box::new(|_| false),
            stream: RandomStreams::new(seed).stream(Purpose::Traffic, 0),
            in_transit: BTreeMap::new(),
            order: 0,
            sent: Vec::new(),
            delivered_at: Vec::new(),
        };
        for node in 0..hops + 4 {
            lab.proxies.insert(node, SplitProxy::new(NodeId(node), Arc::clone(&config)));
        }
        lab.set_path(&(0..=hops).collect::<Vec<_>>());
        lab
    }

    /// Packets follow this path from now on; nodes off the path keep their next hops.
    pub fn set_path(&mut self, path: &[u32]) {
        for pair in path.windows(2) {
            self.down.insert(pair[0], pair[1]);
            self.up.insert(pair[1], pair[0]);
        }
    }

    pub fn set_delay(&mut self, from: u32, to: u32, delay: Span) {
        self.delays.insert((from, to), delay);
    }

    pub fn cut(&mut self, a: u32, b: u32) {
        self.cut.extend([(a, b), (b, a)]);
    }

    pub fn restore(&mut self, a: u32, b: u32) {
        self.cut.remove(&(a, b));
        self.cut.remove(&(b, a));
    }

    pub fn fail(&mut self, node: u32) -> u32 {
        self.failed.insert(node);
        self.proxies.get_mut(&node).expect("a node").fail()
    }

    pub fn recover(&mut self, node: u32) {
        if self.failed.remove(&node) {
            self.proxies.get_mut(&node).expect("a node").recover();
        }
    }

    pub fn supply(&mut self, segments: u32) {
        self.source.on_supply(self.now, Supply::Segments(segments), false);
        self.emit_source();
    }

    /// The application supplies these segments and no more.
    pub fn supply_last(&mut self, segments: u32) {
        self.source.on_supply(self.now, Supply::Segments(segments), true);
        self.emit_source();
    }

    pub fn counts(&self, node: u32) -> ProxyCounts {
        self.proxies[&node].counts()
    }

    /// Nodes that have accepted at least one segment.
    pub fn acting(&self) -> Vec<u32> {
        self.proxies.iter().filter(|(_, proxy)| proxy.counts().taken > 0).map(|(node, _)| *node).collect()
    }

    /// Executes all events up to this time and checks the invariants after each.
    pub fn run(&mut self, seconds: f64) {
        let until = Time::from_secs(seconds);
        let mut steps = 0u32;
        while let Some(at) = self.next().filter(|&at| at <= until) {
            assert!(at >= self.now, "time runs forward");
            steps = if at > self.now { 0 } else { steps + 1 };
            assert!(steps < 10_000, "time does not advance at {at}");
            self.now = at;
            self.step();
            assert!(self.source.una() <= self.sink.rcv_nxt(), "the source dropped undelivered segments");
            for (node, proxy) in &self.proxies {
                assert!(proxy.counts().is_balanced(), "{node}: {:?}", proxy.counts());
            }
        }
        self.now = until;
    }

    /// Runs until the source is done, or until `seconds`.
    pub fn finish(&mut self, seconds: f64) {
        self.source.close();
        while !self.source.is_done() && self.now < Time::from_secs(seconds) && self.next().is_some() {
            self.run(self.now.secs() + 1.0);
        }
        let (source, next) = (&self.source, self.source.next());
        assert!(source.is_done(), "at {}: {} of {next}, {:?}", self.now, source.una(), source.counts());
        self.assert_stream(self.source.next());
    }

    /// Asserts that exactly the first `segments` were delivered, each once and unaltered.
    pub fn assert_stream(&self, segments: SegNo) {
        assert_eq!(self.sink.rcv_nxt(), segments);
        assert_eq!(self.sink.digest(), stream_digest(FLOW, segments));
    }

    /// Transmissions of a kind.
    pub fn transmissions(&self, is_kind: impl Fn(&Wire) -> bool) -> usize {
        self.sent.iter().filter(|sent| is_kind(&sent.wire)).count()
    }

    fn next(&self) -> Option<Time> {
        let wires = self.in_transit.keys().next().map(|&(at, _)| at);
        let alive = self.proxies.iter().filter(|(node, _)| !self.failed.contains(node));
        let proxies = alive.filter_map(|(_, proxy)| proxy.deadline());
        let all = wires.into_iter().chain(proxies).chain(self.source.deadline()).chain(self.sink.deadline());
        all.min().map(|at| at.max(self.now))
    }

    fn step(&mut self) {
        let now = self.now;
        if let Some((&key, _)) = self.in_transit.iter().next().filter(|((at, _), _)| *at <= now) {
            let (node, wire, forwards) = self.in_transit.remove(&key).expect("the first packet in transit");
            return self.arrive(node, wire, forwards);
        }
        if self.source.deadline().is_some_and(|at| at <= now) {
            self.source.on_deadline(now);
            return self.emit_source();
        }
        if self.sink.deadline().is_some_and(|at| at <= now) {
            let ack = self.sink.on_deadline();
            let (_, sink) = self.ends;
            return ack.into_iter().for_each(|ack| self.send(sink, Wire::Ack(ack), 0));
        }
        let mut out = Vec::new();
        let due = |(node, proxy): &(&u32, &mut SplitProxy)| {
            !self.failed.contains(*node) && proxy.deadline().is_some_and(|at| at <= now)
        };
        let Some((&node, proxy)) = self.proxies.iter_mut().find(due) else { return };
        proxy.on_deadline(now, &mut out);
        self.emit_proxy(node, &out);
    }

    fn arrive(&mut self, node: u32, wire: Wire, forwards: u16) {
        let now = self.now;
        let (first, last) = self.ends;
        let is_proxy = node != first && node != last && !self.failed.contains(&node);
        match wire {
            Wire::Data(split) if node == last => {
                let taken = self.sink.on_segment(now, &split);
                self.delivered_at.extend((0..taken.delivered).map(|_| now));
                self.send(node, Wire::Lack(taken.lack), 0);
                taken.ack.into_iter().for_each(|ack| self.send(node, Wire::Ack(ack), 0));
            }
            Wire::Data(split) if split.tag.resp == NodeId(node) => {}
            Wire::Data(mut split) => {
                split.tag.hops += 1;
                if !is_proxy || split.tag.is_bypass {
                    return self.send(node, Wire::Data(split), forwards);
                }
                let view = ProxyView {
                    flow: FLOW,
                    src: NodeId(first),
                    dst: NodeId(last),
                    bytes: 1052,
                    forwards,
                    hops_left: None,
                    is_crossing: false,
                    split,
                };
                let mut out = Vec::new();
                let verdict = self.proxies.get_mut(&node).expect("a node").on_segment(now, &view, &mut out);
                match verdict {
                    Verdict::Keep => {}
                    Verdict::PassOn => self.send(node, Wire::Data(split), forwards),
                    Verdict::Bypass => {
                        split.tag.is_bypass = true;
                        self.send(node, Wire::Data(split), forwards);
                    }
                }
                self.emit_proxy(node, &out);
            }
            Wire::Lack(lack) if node == first => {
                if lack.resp == NodeId(first) {
                    self.source.on_lack(now, &lack);
                    self.emit_source();
                }
            }
            Wire::Lack(lack) if lack.resp == NodeId(node) && is_proxy => {
                let mut out = Vec::new();
                self.proxies.get_mut(&node).expect("a node").on_lack(now, FLOW, &lack, &mut out);
                self.emit_proxy(node, &out);
            }
            Wire::Ack(ack) if node == first => {
                self.source.on_ack(now, &ack);
                self.emit_source();
            }
            Wire::Lack(_) | Wire::Ack(_) => self.send(node, wire, forwards),
        }
    }

    fn emit_source(&mut self) {
        let sent: Vec<_> = self.source.take_sent().collect();
        for split in sent {
            self.send(self.ends.0, Wire::Data(split), 0);
        }
    }

    fn emit_proxy(&mut self, node: u32, out: &[ProxyOut]) {
        for out in out {
            match *out {
                ProxyOut::Segment { split, .. } => self.send(node, Wire::Data(split), 0),
                ProxyOut::Lack { lack, .. } => self.send(node, Wire::Lack(lack), 0),
                ProxyOut::Accepted { .. } | ProxyOut::Released { .. } => {}
            }
        }
    }

    fn send(&mut self, from: u32, wire: Wire, forwards: u16) {
        let next = if matches!(wire, Wire::Data(_)) { self.down.get(&from) } else { self.up.get(&from) };
        let Some(&to) = next else { return };
        let sent = Sent { at: self.now, from, wire };
        self.sent.push(sent);
        let is_lost = self.stream.unit() < self.faults.loss;
        if (self.loses)(&sent) || is_lost || self.cut.contains(&(from, to)) {
            return;
        }
        let mut delay = self.delays.get(&(from, to)).copied().unwrap_or(HOP);
        if self.stream.unit() < self.faults.reorder {
            delay += Span::from_secs(0.1 * self.stream.unit());
        }
        for _ in 0..if self.stream.unit() < self.faults.duplicate { 2 } else { 1 } {
            self.in_transit.insert((self.now + delay, self.order), (to, wire, forwards + 1));
            self.order += 1;
        }
    }
}
