//! Controllers of real connections over wires, against rows of Linux 6.18 (`end-to-end-oracle.json`) with the tolerances
//! of their specification, and against closed forms.

use hoplab::kernel::Time;
use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::World;

/// Seeds of a row.
const SEEDS: u64 = 5;

/// What `[stream]` is in rows of Linux.
const LINUX: &str = "slow_start = \"hystart\"\nfirst_growth = 0.05\nreceive_buffer = \"32 MB\"\n";

/// A row: two hosts, a wire, flows with their starts.
struct Row<'a> {
    times: (u32, u32),
    rate: &'a str,
    delay: &'a str,
    queue: &'a str,
    stream: &'a str,
    flows: &'a [(&'a str, f64)],
    spread: f64,
}

/// Means over all seeds.
#[derive(Debug)]
struct Found {
    /// Goodput of each flow in Mb/s.
    goodput: Vec<f64>,
    /// Mean queue delay in ms.
    wait: f64,
    drops: f64,
}

impl Found {
    fn total(&self) -> f64 {
        self.goodput.iter().sum()
    }

    fn share(&self) -> f64 {
        self.goodput[0] / self.total()
    }

    fn jain(&self) -> f64 {
        let squares: f64 = self.goodput.iter().map(|rate| rate * rate).sum();
        self.total() * self.total() / (self.goodput.len() as f64 * squares)
    }
}

fn parse(text: &str) -> Resolved {
    Resolved::parse(text, "controllers.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(text: &str, seed: u64) -> RunReport {
    let scenario = parse(text);
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.report(&scenario, seed, 0.0)
}

impl Row<'_> {
    fn text(&self) -> String {
        let (duration, warmup) = self.times;
        let flows: Vec<String> = self
            .flows
            .iter()
            .map(|(transport, start)| {
                format!(
                    "[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"{transport}\"\nstart = \"{start} s\"\n\
                     start_spread = \"{} s\"\n",
                    self.spread
                )
            })
            .collect();
        format!(
            "duration = \"{duration} s\"\nwarmup = \"{warmup} s\"\n[stream]\n{}\
             [[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\nname = \"b\"\n\
             [[wire]]\nbetween = [\"a\", \"b\"]\nrate = \"{}\"\ndelay = \"{}\"\nqueue = {{ {} }}\n\
             back = {{ queue = {{ kind = \"drop_tail\", limit = 1000 }} }}\n{}",
            self.stream,
            self.rate,
            self.delay,
            self.queue,
            flows.concat()
        )
    }

    fn found(&self) -> Found {
        let text = self.text();
        let reports: Vec<RunReport> = (1..=SEEDS).map(|seed| run(&text, seed)).collect();
        let mean = |of: &dyn Fn(&RunReport) -> f64| reports.iter().map(of).sum::<f64>() / reports.len() as f64;
        Found {
            goodput: (0..self.flows.len()).map(|flow| mean(&|report| report.flows[flow].goodput_bps / 1e6)).collect(),
            wait: mean(&|report| report.wires[0].queue_delay_mean_s.expect("packets") * 1e3),
            drops: mean(&|report| (report.wires[0].queue_full + report.wires[0].early_drops) as f64),
        }
    }
}

/// Whether a mean is within a relative tolerance, or a floor.
fn is_near(value: f64, expected: f64, share: f64, floor: f64) -> bool {
    (value - expected).abs() <= (share * expected).max(floor)
}

/// Whether a count is within a factor of two.
fn is_like(value: f64, expected: f64) -> bool {
    value >= expected / 2.0 - 10.0 && value <= expected * 2.0 + 10.0
}

fn ten_megabits<'a>(limit: &'a str, stream: &'a str, flows: &'a [(&'a str, f64)]) -> Row<'a> {
    Row { times: (80, 20), rate: "10 Mb/s", delay: "25 ms", queue: limit, stream, flows, spread: 0.2 }
}

const ONE_BDP: &str = "kind = \"drop_tail\", limit = 42";

#[test]
fn two_flows_of_bbr_share_as_in_linux() {
    let found = ten_megabits(ONE_BDP, LINUX, &[("tcp_bbr", 0.5), ("tcp_bbr", 1.5)]).found();
    assert!(is_near(found.total(), 9.4517, 0.03, 0.0), "{found:?}");
    assert!(is_near(found.share(), 0.50171, 0.0, 0.12) && found.jain() > 0.92, "{found:?}");
    assert!(is_near(found.wait, 46.256, 0.15, 1.5) && is_like(found.drops, 5017.4), "{found:?}");
}

#[test]
fn cubic_beside_bbr_gets_little_as_in_linux() {
    let found = ten_megabits(ONE_BDP, LINUX, &[("tcp_cubic", 0.5), ("tcp_bbr", 1.5)]).found();
    assert!(is_near(found.total(), 9.4569, 0.03, 0.0), "{found:?}");
    assert!(is_near(found.share(), 0.0942, 0.0, 0.12), "{found:?}");
    assert!(is_near(found.wait, 38.343, 0.15, 1.5) && is_like(found.drops, 982.8), "{found:?}");
}

#[test]
fn paced_controllers_cross_a_mesh() {
    for transport in ["tcp_bbr"] {
        let text = format!(
            "duration = \"40 s\"\nwarmup = \"10 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n\
             [[flow]]\ntransport = \"{transport}\"\n"
        );
        let reports = [1, 2].map(|seed| run(&text, seed));
        for report in &reports {
            assert!(report.flows[0].goodput_bps > 1e5, "{transport}: {:?}", report.flows[0]);
        }
        assert_eq!(reports[0].fingerprint, run(&text, 1).fingerprint, "{transport}");
    }
}

#[test]
fn tables_of_controllers_are_written_if_they_are_given() {
    let text = |keys: &str| {
        Row { stream: &format!("{LINUX}{keys}"), ..ten_megabits(ONE_BDP, LINUX, &[("tcp_bbr", 0.5)]) }.text()
    };
    let plain = parse(&text(""));
    assert!(!plain.to_toml().contains("min_window"), "{}", plain.to_toml());
    let given = parse(&text("bbr = { min_window = 6 }\n"));
    assert_eq!(given.stream.bbr.min_window, 6);
    assert_eq!(parse(&given.to_toml()).canonical(), given.canonical());
    assert_ne!(given.canonical(), plain.canonical());
    assert_eq!(parse(&text("bbr = { min_window = 4 }\n")).canonical(), plain.canonical());
    assert!(plain.end() > Time::ZERO);
}
