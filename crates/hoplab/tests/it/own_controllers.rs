//! A user's own congestion control over complete connections: equal to the engine's where its rules are, in every workload, paced,
//! and refused by name where it needs what a sender does not have. Acknowledgments per segments of complete connections.

use hoplab::kernel::Span;
use hoplab::measure::RunReport;
use hoplab::scenario::{ExternalController, FlowSpec, Resolved};
use hoplab::transport::{
    CongestionControl, CrossLayer, Loss, LossSignal, Needs, NewAck, PaceClock, PaceRules, RateSample, SenderState,
};
use hoplab::world::{ExternalControl, Externals, NoExternals, World};

/// Reno as complete connections have it, written outside of the engine.
#[derive(Debug)]
struct OwnReno {
    cwnd: f64,
    ssthresh: f64,
    initial_window: f64,
}

impl CongestionControl for OwnReno {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn exit_slow_start(&mut self) {
        self.ssthresh = self.cwnd;
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.cwnd = if ack.is_syn_ack() {
            self.initial_window
        } else if self.cwnd < self.ssthresh {
            self.cwnd + 1.0
        } else {
            self.cwnd + 1.0 / self.cwnd
        };
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.is_syn {
            self.initial_window = 1.0;
        }
        let half = (loss.window / 2.0).max(2.0);
        if loss.signal == LossSignal::DupAcks || !loss.is_retransmission {
            self.ssthresh = half.floor();
        }
        self.cwnd = if loss.signal == LossSignal::DupAcks { half } else { 1.0 };
    }
}

/// A fixed window, and at most a segment per interval if it is paced.
#[derive(Debug, Default)]
struct Steady {
    window: f64,
    interval: Span,
    needs: Needs,
}

impl CongestionControl for Steady {
    fn cwnd(&self) -> f64 {
        self.window
    }

    fn set_cwnd(&mut self, _cwnd: f64) {}

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        assert!(ack.is_syn_ack(), "its window is its own: samples come instead");
    }

    fn on_recovery_ack(&mut self, _ack: &NewAck<'_>) {
        panic!("its window is its own: samples come instead");
    }

    fn on_sample(&mut self, sample: &RateSample, state: &SenderState) {
        assert!(state.newly_delivered > 0 && sample.delivered > 0);
        assert!(f64::from(state.flights.0) <= self.window, "in recovery, too: {state:?}");
    }

    fn on_loss(&mut self, _loss: &Loss) {}

    fn needs(&self) -> Needs {
        self.needs
    }

    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        Some(self)
    }
}

impl CrossLayer for Steady {
    fn pace_interval(&self) -> Span {
        self.interval
    }
}

/// Builds `program:NAME@...`.
struct Own;

impl Externals for Own {
    fn controller(&mut self, flow: &FlowSpec, named: &ExternalController) -> Result<ExternalControl, String> {
        let pacing = PaceRules { clock: PaceClock::OnDemand, flushes: false, restarts: true };
        let needs = Needs { owns_window: true, ..Needs::default() };
        let steady = Steady { window: 8.0, interval: Span::from_millis(10), needs };
        Ok(match named.class.as_str() {
            // The first window is that of [stream], or of the one-way agents of ns-2.
            "Reno" => {
                let initial_window = if flow.transport.is_stream() { 10.0 } else { 2.0 };
                Box::new(OwnReno { cwnd: 1.0, ssthresh: f64::INFINITY, initial_window })
            }
            "Steady" => Box::new(steady),
            "Paced" => Box::new(Steady { needs: Needs { pacing: Some(pacing), ..needs }, window: 100.0, ..steady }),
            "Links" => {
                Box::new(Steady { needs: Needs { link_estimates: true, constant_rto: true, ..needs }, ..steady })
            }
            other => return Err(format!("{other} is unknown")),
        })
    }
}

fn parse(text: &str) -> Resolved {
    Resolved::parse(text, "own.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(text: &str, seed: u64) -> RunReport {
    let scenario = parse(text);
    let mut world = World::build_with(&scenario, seed, &mut Own).unwrap_or_else(|error| panic!("{error}"));
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}\n{text}"));
    world.report(&scenario, seed, 0.0)
}

/// Networks with one flow or workload to be filled in: each loses, reorders or delays in a way of its own.
fn networks(flow: &str) -> Vec<(&'static str, String)> {
    let std = "duration = \"10 s\"\nprofile = \"std\"\n";
    let wire = "duration = \"20 s\"\n[[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\nname = \"b\"\n[[wire]]\n\
                between = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\ndelay = \"20 ms\"\n";
    let ends = "from = \"a\"\nto = \"b\"\n";
    vec![
        ("chain", format!("duration = \"30 s\"\n[topology]\nkind = \"chain\"\nhops = 6\n{flow}")),
        (
            "lossy chain",
            format!(
                "duration = \"30 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[radio.errors]\nmodel = \"uniform_packet\"\n\
                 frame_error_rate = 0.1\n[mac]\nssrl = 2\nslrl = 2\n{flow}"
            ),
        ),
        (
            "AODV",
            format!(
                "duration = \"30 s\"\n[topology]\nkind = \"grid\"\ncolumns = 3\n[routing]\nprotocol = \"aodv\"\n{flow}from = 0\nto = 8\n"
            ),
        ),
        (
            "802.11n",
            format!(
                "{std}[topology]\nkind = \"chain\"\nhops = 3\nspacing = \"20 m\"\n[radio]\nstandard = \"11n\"\nrx_model = \"sinr\"\n\
                 {flow}"
            ),
        ),
        ("lossy wire", format!("{wire}loss = 0.01\nqueue = {{ kind = \"drop_tail\", limit = 30 }}\n{flow}{ends}")),
        (
            "marks",
            format!(
                "{wire}queue = {{ kind = \"codel\", limit = 1000, ecn = true }}\n[stream]\necn = true\n{flow}{ends}"
            ),
        ),
    ]
}

#[test]
fn own_reno_runs_as_tcp_reno_on_every_network() {
    let flow = "[[flow]]\ntransport = \"tcp_reno\"\n";
    let owned = format!("{flow}controller = \"program:Reno@1\"\n");
    let (mut losses, mut timeouts) = (0, 0);
    for ((name, plain), (_, own)) in networks(flow).into_iter().zip(networks(&owned)) {
        for seed in 1..=3 {
            let (plain, own) = (run(&plain, seed), run(&own, seed));
            assert_eq!(plain.fingerprint, own.fingerprint, "{name}, seed {seed}");
            assert_eq!(own.flows[0].transport, "program:Reno@1");
            assert_eq!(plain.flows[0].goodput_bps, own.flows[0].goodput_bps);
            losses += own.flows[0].fast_retransmits;
            timeouts += own.flows[0].timeouts;
        }
    }
    assert!(losses > 20 && timeouts > 5, "what they are compared in: {losses} losses, {timeouts} timeouts");
}

#[test]
fn every_connection_lends_its_sender() {
    let chain = |keys: &str| format!("duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]\n{keys}");
    let of =
        |base: &str| run(&chain(&format!("transport = \"{base}\"\ncontroller = \"program:Reno@1\"\n")), 2).fingerprint;
    let reno = of("tcp_reno");
    for base in ["tcp_cubic", "tcp_bbr", "tcp_bbr3", "tcp_ledbat", "tcp_copa"] {
        assert_eq!(of(base), reno, "what is left of {base} without its control");
    }
    // Both ends of DCTCP offer ECN, and the receiver echoes each mark, not one until CWR.
    let marked = |base: &str| {
        let text = wire(&format!("transport = \"{base}\"\ncontroller = \"program:Reno@1\"\n"));
        let text = text.replace("loss = 0.02", "queue = { kind = \"drop_tail\", limit = 200, mark_at = 20 }");
        let report = run(&text.replacen("[[node]]", "[stream]\necn = true\n[[node]]", 1), 1);
        assert!(report.wires[0].marks > 0, "{base}");
        report.fingerprint
    };
    assert_ne!(marked("tcp_dctcp"), marked("tcp_reno"));
    // One-way agents count segments of another length, without a handshake.
    assert_ne!(of("new_reno"), reno);
}

#[test]
fn both_ends_of_a_session_have_a_controller() {
    let network = |kind: &str, keys: &str| {
        format!(
            "duration = \"40 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[node]]\nkind = \"host\"\nname = \"server\"\ngateway = 0\n\
             [[wire]]\nbetween = [\"server\", 0]\nrate = \"20 Mb/s\"\ndelay = \"20 ms\"\n[[workload]]\nkind = \"{kind}\"\n\
             from = \"server\"\nto = 2\ntransport = \"tcp_reno\"\n{keys}\n"
        )
    };
    for (kind, keys) in [
        ("poisson", "rate = \"1 /s\"\nsize = \"30 kB\""),
        ("web", "count = 3"),
        ("video", "count = 1"),
        ("request", "answer = \"50 kB\"\ntimes = 20"),
        ("rrul", ""),
    ] {
        let plain = run(&network(kind, keys), 1);
        let own = run(&network(kind, &format!("{keys}\ncontroller = \"program:Reno@1\"")), 1);
        assert_eq!(plain.fingerprint, own.fingerprint, "{kind}");
        let named = own.flows.iter().filter(|flow| flow.transport == "program:Reno@1").count();
        let pings = own.flows.iter().filter(|flow| flow.transport == "udp").count();
        assert!(named > 0 && named + pings == own.flows.len(), "{kind}: {named} of {}", own.flows.len());
        assert!(own.flows.iter().map(|flow| flow.goodput_bps).sum::<f64>() > 0.0, "{kind}");
    }
}

#[test]
fn slowdown_of_own_controllers_refers_to_their_own_transfer() {
    let text = "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\ntransport = \"tcp_reno\"\nbytes = \"100 kB\"\n";
    let slowdown = |text: &str| {
        let scenario = parse(text);
        let mut world = World::build_with(&scenario, 1, &mut Own).unwrap_or_else(|error| panic!("{error}"));
        world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
        let idle = world.idle_times(&scenario, 1, &mut Own, &mut World::run_until);
        world.set_idle_times(idle.unwrap_or_else(|error| panic!("{error}")).expect("transfers"));
        world.report(&scenario, 1, 0.0).flows[0].slowdown.expect("a reference")
    };
    let own = slowdown(&format!("{text}controller = \"program:Reno@1\"\n"));
    assert_eq!(own, slowdown(text));
    assert!((0.5..2.0).contains(&own), "{own}");
}

fn wire(flow: &str) -> String {
    format!(
        "duration = \"20 s\"\n[[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\nname = \"b\"\n[[wire]]\n\
         between = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\ndelay = \"20 ms\"\nloss = 0.02\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n{flow}"
    )
}

#[test]
fn an_interval_paces_new_segments_and_repairs() {
    let report = run(&wire("transport = \"tcp_reno\"\ncontroller = \"program:Paced@1\"\n"), 1);
    let flow = &report.flows[0];
    // 100 segments a second, SYN and probes of a lost tail aside.
    assert!((1990..=2010).contains(&flow.segments_sent), "{}", flow.segments_sent);
    assert!(flow.retransmissions > 20, "{}", flow.retransmissions);
    let most = 100.0 * 1448.0 * 8.0;
    assert!(flow.goodput_bps < most && flow.goodput_bps > 0.95 * most, "{}", flow.goodput_bps);
}

#[test]
fn own_window_holds_in_recovery_too() {
    let report = run(&wire("transport = \"tcp_reno\"\ncontroller = \"program:Steady@1\"\n"), 1);
    let flow = &report.flows[0];
    assert!(flow.fast_retransmits > 20, "{flow:?}");
    // Eight segments per round trip of 40 ms and a transmission time.
    let most = 8.0 * 1448.0 * 8.0 / 0.0412;
    assert!((0.8 * most..most).contains(&flow.goodput_bps), "{} of {most}", flow.goodput_bps);
}

#[test]
fn what_a_sender_lacks_is_named() {
    let error = |transport: &str, name: &str| {
        let text = wire(&format!("transport = \"{transport}\"\ncontroller = \"program:{name}@1\"\n"));
        World::build_with(&parse(&text), 1, &mut Own).map(|_| ()).expect_err("a need").to_string()
    };
    assert_eq!(
        error("tcp_reno", "Links"),
        "controller program:Links@1 of flow 0: it needs link_estimates, constant_rto, which a real TCP connection does not have"
    );
    assert_eq!(
        error("new_reno", "Steady"),
        "controller program:Steady@1 of flow 0: it needs owns_window, which a one-way agent does not have"
    );
    let plain = parse(&wire("transport = \"tcp_reno\"\ncontroller = \"program:Reno@1\"\n"));
    let missing = World::build_with(&plain, 1, &mut NoExternals).map(|_| ()).expect_err("no program").to_string();
    assert!(missing.starts_with("program:Reno@1 is not part of the engine"), "{missing}");
}

/// Packets each way over a wire without losses, of a transfer of 1,000 segments, without what tail loss probes repeat.
fn acks(transport: &str, keys: &str) -> (u64, u64) {
    let text = format!(
        "duration = \"30 s\"\n[[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\nname = \"b\"\n[[wire]]\n\
         between = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\ndelay = \"5 ms\"\n{keys}[[flow]]\nfrom = \"a\"\nto = \"b\"\n\
         transport = \"{transport}\"\nbytes = 1448000\n"
    );
    let report = run(&text, 1);
    // Windows of fewer segments than an acknowledgment covers wait for the timer, which is longer than that of a probe.
    let probes = report.flows[0].retransmissions;
    assert!(probes <= 2, "{transport} {keys}: {probes}");
    (report.wires[0].packets - probes, report.wires[1].packets)
}

#[test]
fn every_kth_segment_of_a_connection_is_acknowledged() {
    for transport in ["tcp_reno", "tcp_cubic", "tcp_bbr", "tcp_bbr3", "tcp_ledbat", "tcp_copa"] {
        let of = |k: u64| {
            let (data, back) = acks(transport, &format!("[stream]\nquick_acks = 0\n[tcp]\nack_every = {k}\n"));
            // SYN, the acknowledgment of the SYN-ACK, data, FIN and its answer.
            assert!((1000..=1006).contains(&data), "{transport} {k}: {data}");
            back
        };
        for k in [1, 2, 4, 8, 16] {
            // With the answers to SYN and FIN.
            let (found, least) = (of(k), 1000 / k + 2);
            assert!((least..=least + 1).contains(&found), "{transport}: {found} for every {k}");
        }
    }
    let plain = acks("tcp_reno", "");
    assert_eq!(acks("tcp_reno", "[tcp]\nack_every = 2\n"), plain, "the default of [stream]");
    // The first sixteen are quick, as in Linux.
    let (quick, none) = (plain.1, acks("tcp_reno", "[stream]\nquick_acks = 0\n").1);
    assert!((7..=9).contains(&(quick - none)), "{quick} {none}");
}

#[test]
fn the_timer_bounds_the_delay_of_an_acknowledgment() {
    // A segment every 100 ms: each waits for the timer of 40 ms alone.
    let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\napp = \"cbr\"\nrate = \"115840 b/s\"\ntransport = \"tcp_reno\"\n";
    let of = |k: u32, timer: &str| {
        let text = format!(
            "duration = \"20 s\"\n[[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\nname = \"b\"\n[[wire]]\n\
             between = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\ndelay = \"5 ms\"\n[stream]\nquick_acks = 0\n\
             delayed_ack_timeout = \"{timer}\"\n[tcp]\nack_every = {k}\n{flow}"
        );
        let report = run(&text, 1);
        (report.wires[1].packets, report.flows[0].goodput_bps)
    };
    let (all, goodput) = of(8, "40 ms");
    assert!((195..=203).contains(&all), "{all}");
    assert!((goodput / 115_840.0 - 1.0).abs() < 0.02, "{goodput}");
    // A timer of 350 ms covers four segments.
    let (fourth, _) = of(8, "350 ms");
    assert!((48..=54).contains(&fourth), "{fourth}");
}

#[test]
fn thinner_acknowledgments_of_a_connection_carry_more_over_hops() {
    let mean = |k: u32| {
        let text = format!(
            "duration = \"30 s\"\nwarmup = \"2 s\"\n[topology]\nkind = \"chain\"\nhops = 4\n[tcp]\nack_every = {k}\n\
             [[flow]]\ntransport = \"tcp_cubic\"\n"
        );
        (1..=5).map(|seed| run(&text, seed).flows[0].goodput_bps).sum::<f64>() / 5.0
    };
    let [each, second, fourth] = [1, 2, 4].map(mean);
    assert!(second > 1.03 * each && fourth > second, "{each} {second} {fourth}");
}

#[test]
fn receivers_with_a_rule_of_their_own_are_named() {
    let warnings = |transport: &str| {
        let text = format!(
            "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[tcp]\nack_every = 4\n[[flow]]\ntransport = \"{transport}\"\n"
        );
        parse(&text).warnings.clone()
    };
    for transport in ["split_tcp", "rcp", "atp", "tpa", "smoltcp_reno"] {
        let found = warnings(transport);
        let named = format!("tcp.ack_every: has no effect with transport = \"{transport}\"");
        assert!(found.iter().any(|warning| warning.starts_with(&named)), "{transport}: {found:?}");
    }
    for transport in ["new_reno", "semi_tcp", "tcp_reno", "tcp_dctcp", "quinn_cubic"] {
        assert_eq!(warnings(transport), Vec::<String>::new(), "{transport}");
    }
}
