//! Workloads: arrivals and sizes, completion times against Linux and closed forms, slowdown, and transports that lack measures.

use hoplab::kernel::Time;
use hoplab::measure::RunReport;
use hoplab::scenario::Resolved;
use hoplab::world::{EngineError, NoExternals, World};

fn parse(text: &str) -> Resolved {
    Resolved::parse(text, "workloads.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The report of a run, with slowdowns.
fn run_seed(text: &str, seed: u64) -> RunReport {
    let seeds = [("seed".to_owned(), seed.to_string())];
    let scenario = Resolved::parse(text, "workloads.toml", &seeds).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut world = World::new(&scenario, seed);
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let idle = world
        .idle_times(&scenario, seed, &mut NoExternals, &mut World::run_until)
        .unwrap_or_else(|error| panic!("{error}"));
    if let Some(times) = idle {
        world.set_idle_times(times);
    }
    world.report(&scenario, seed, 0.0)
}

/// Two hosts with a wire of 10 Mb/s, as in the experiments with Linux.
fn linux(delay: &str, queue: &str) -> String {
    format!(
        "[[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\nname = \"b\"\n[[wire]]\nbetween = [\"a\", \"b\"]\n\
         rate = \"10 Mb/s\"\ndelay = \"{delay}\"\nqueue = {{ {queue} }}\n\
         back = {{ queue = {{ kind = \"drop_tail\", limit = 1000 }} }}\n\
         [stream]\nslow_start = \"hystart\"\nreceive_buffer = \"32 MB\"\n"
    )
}

/// A metric of the oracle: value, half-width of its interval, relative and absolute tolerance.
type Row = (f64, f64, f64, f64);

/// Checks the mean over five seeds against a row of the oracle: within both half-widths together, or the tolerance.
fn check(what: &str, runs: &[f64], (value, half_width, rel, floor): Row) {
    let n = runs.len() as f64;
    let mean = runs.iter().sum::<f64>() / n;
    let variance = runs.iter().map(|run| (run - mean) * (run - mean)).sum::<f64>() / (n - 1.0);
    // Student's t of 4 degrees of freedom.
    let own = 2.776 * libm::sqrt(variance / n);
    let allowed = (half_width + own).max(rel * value).max(floor);
    assert!((mean - value).abs() <= allowed, "{what}: {mean} +- {own}, expected {value} +- {allowed}");
}

const BULK: &str =
    "[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"tcp_cubic\"\nstart = \"0.5 s\"\nstart_spread = \"0.2 s\"\n";

/// The 95th percentile beside a FIFO of 4 BDP, which a few flows decide, differs: Linux 2.25 s, here 1.1 to 2.1 s. It is
/// held within 50 % only.
#[test]
fn short_flows_beside_a_download_agree_with_linux() {
    let rows: [(&str, [Row; 4]); 3] = [
        (
            "kind = \"drop_tail\", limit = 167",
            [
                (9_578_100.0, 17_300.0, 0.03, 0.0),
                (0.16658, 0.00154, 0.15, 0.0015),
                (0.41803, 0.0187, 0.1, 0.005),
                (2.2479, 0.118, 0.5, 0.005),
            ],
        ),
        (
            "kind = \"codel\", limit = 1000",
            [
                (9_082_700.0, 41_700.0, 0.03, 0.0),
                (0.002_738_2, 9.37e-5, 0.15, 0.0015),
                (0.090_422, 0.002_03, 0.1, 0.005),
                (0.115_52, 0.0401, 0.1, 0.005),
            ],
        ),
        (
            "kind = \"fq_codel\", limit = 1000",
            [
                (9_091_300.0, 53_500.0, 0.03, 0.0),
                (0.002_704, 0.000_103, 0.15, 0.0015),
                (0.089_883, 0.000_297, 0.1, 0.005),
                (0.094_864, 0.001_93, 0.1, 0.005),
            ],
        ),
    ];
    for (queue, metrics) in rows {
        let text = format!(
            "duration = \"60 s\"\nwarmup = \"10 s\"\n{}{BULK}[[workload]]\nkind = \"poisson\"\nfrom = \"a\"\nto = \"b\"\n\
             size = \"10 kB\"\nrate = \"1 /s\"\nstart = \"10 s\"\ncount = 40\n",
            linux("25 ms", queue)
        );
        let runs: Vec<[f64; 4]> = (1..=5)
            .map(|seed| {
                let report = run_seed(&text, seed);
                let short = report.completion.expect("transfers");
                assert_eq!((short.unfinished, report.workloads[0].flows), (0, short.flows), "{queue}");
                let delay = report.wires[0].queue_delay_mean_s.expect("packets");
                [report.flows[0].goodput_bps, delay, short.p50_s.expect("times"), short.p95_s.expect("times")]
            })
            .collect();
        for (k, row) in metrics.into_iter().enumerate() {
            check(&format!("{queue}: {k}"), &runs.iter().map(|run| run[k]).collect::<Vec<_>>(), row);
        }
    }
}

/// The 99th percentile at a load of 0.8, three of 300 transfers, differs: Linux 1.53 s, here 2.12 s, cause not known. It is
/// held within 60 % only.
#[test]
fn poisson_transfers_agree_with_linux() {
    let rows: [(&str, u32, [Row; 5]); 2] = [
        (
            "6.0333 /s",
            190,
            [
                (0.309_71, 0.009_79, 0.12, 0.01),
                (0.289_39, 0.009_27, 0.12, 0.01),
                (0.4399, 0.0328, 0.12, 0.01),
                (0.5873, 0.131, 0.25, 0.01),
                (0.018_889, 0.001_99, 0.2, 0.002),
            ],
        ),
        (
            "9.6533 /s",
            300,
            [
                (0.472_05, 0.0596, 0.12, 0.01),
                (0.399_77, 0.061, 0.12, 0.01),
                (0.928_29, 0.203, 0.12, 0.01),
                (1.5316, 0.183, 0.6, 0.01),
                (0.037_752, 0.007_77, 0.2, 0.002),
            ],
        ),
    ];
    for (rate, count, metrics) in rows {
        let text = format!(
            "duration = \"45 s\"\nwarmup = \"5 s\"\n{}[[workload]]\nkind = \"poisson\"\nfrom = \"a\"\nto = \"b\"\n\
             size = \"100 kB\"\nrate = \"{rate}\"\nstart = \"2 s\"\ncount = {count}\n",
            linux("25 ms", "kind = \"drop_tail\", limit = 83")
        );
        let runs: Vec<[f64; 5]> = (1..=5)
            .map(|seed| {
                let report = run_seed(&text, seed);
                let all = report.completion.expect("transfers");
                assert_eq!(report.flows.len() as u64, all.flows);
                assert!(all.slowdown_mean.expect("slowdown") > 1.0, "{all:?}");
                let times = [all.mean_s, all.p50_s, all.p95_s, all.p99_s, report.wires[0].queue_delay_mean_s];
                times.map(|time| time.expect("times"))
            })
            .collect();
        for (k, row) in metrics.into_iter().enumerate() {
            check(&format!("{rate}: {k}"), &runs.iter().map(|run| run[k]).collect::<Vec<_>>(), row);
        }
    }
}

#[test]
fn datagrams_wait_as_in_an_md1_queue() {
    let text = "duration = \"400 s\"\nwarmup = \"10 s\"\n[[node]]\nkind = \"host\"\nname = \"a\"\n[[node]]\nkind = \"host\"\n\
                name = \"b\"\n[[wire]]\nbetween = [\"a\", \"b\"]\nrate = \"10 Mb/s\"\nqueue = { limit = 100000 }\n\
                [[workload]]\nkind = \"poisson\"\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\nsize = \"1480 B\"\nload = 0.9\n";
    let waits: Vec<f64> =
        (1..=5).map(|seed| run_seed(text, seed).wires[0].queue_delay_mean_s.expect("packets")).collect();
    check("M/D/1", &waits, (0.0054, 0.0, 0.05, 0.0));
}

#[test]
fn slowdown_of_a_transfer_alone_is_one() {
    for (size, rate) in [("\"10 kB\"", "0.05 /s"), ("{ pareto = 1.3, min = \"2 kB\", max = \"2 MB\" }", "0.02 /s")] {
        let text = format!(
            "duration = \"400 s\"\n{}[[workload]]\nkind = \"poisson\"\nfrom = \"a\"\nto = \"b\"\nsize = {size}\nrate = \"{rate}\"\n",
            linux("25 ms", "limit = 1000")
        );
        let report = run_seed(&text, 3);
        let slowdowns: Vec<f64> = report.flows.iter().filter_map(|flow| flow.slowdown).collect();
        assert!(slowdowns.len() > 3, "{slowdowns:?}");
        // A size between two measured ones has the time of its last byte in a longer transfer.
        assert!(slowdowns.iter().all(|slowdown| (0.95..1.01).contains(slowdown)), "{size}: {slowdowns:?}");
    }
}

#[test]
fn arrivals_and_sizes_do_not_depend_on_the_transport() {
    let text = |transport: &str| {
        format!(
            "duration = \"30 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\nprotocol = \"static\"\n[[workload]]\n\
             kind = \"poisson\"\nfrom = [0, 1]\nto = [2, 3]\ntransport = \"{transport}\"\nrate = \"1 /s\"\n\
             size = {{ lognormal = 1.0, median = \"8 kB\" }}\n"
        )
    };
    let of = |transport| run_seed(&text(transport), 9);
    let [cubic, reno, agent] = [of("tcp_cubic"), of("tcp_reno"), of("new_reno")];
    let ends = |report: &RunReport| {
        report.flows.iter().map(|flow| (flow.src, flow.dst, flow.start_s.to_bits())).collect::<Vec<_>>()
    };
    assert!(cubic.flows.len() > 10);
    assert_eq!((ends(&cubic), ends(&cubic)), (ends(&reno), ends(&agent)));
    let sizes = |report: &RunReport| report.flows.iter().map(|flow| flow.transfer_bytes).collect::<Vec<_>>();
    assert_eq!(sizes(&cubic), sizes(&reno));
    // One-way agents have no completion times, but carry the data.
    assert!(agent.completion.is_none() && agent.workloads[0].completion.is_none());
    assert!(agent.workloads[0].goodput_bps > 0.0 && cubic.workloads[0].goodput_bps > 0.0);
    assert_ne!(ends(&cubic), ends(&run_seed(&text("tcp_cubic"), 10)));
}

#[test]
fn workloads_are_written_and_read_again() {
    let text = format!(
        "duration = \"5 s\"\n{}[[workload]]\nkind = \"poisson\"\nfrom = \"a\"\nto = \"b\"\nload = 0.25\nstop = \"4 s\"\n\
         size = {{ cdf = [[1000, 0.5], [20000, 1.0]] }}\n[[workload]]\nkind = \"poisson\"\nfrom = [\"b\", 0]\nto = \"a\"\n\
         transport = \"sack\"\nwindow = 9\nsize = {{ exponential = \"5 kB\", max = \"50 kB\" }}\nrate = \"30 /min\"\n{BULK}",
        linux("1 ms", "limit = 10")
    );
    let scenario = parse(&text);
    let again = parse(&scenario.to_toml());
    assert_eq!(scenario.workloads, again.workloads, "{}", scenario.to_toml());
    assert_eq!((scenario.canonical(), &scenario.flows), (again.canonical(), &again.flows));
    assert_eq!(scenario.flows[0].workload, None);
    assert!(scenario.flows[1..].is_sorted_by_key(|flow| flow.workload));
    assert_eq!(scenario.workloads[1].pairs.len(), 1);
}

#[test]
fn transfers_alone_are_those_that_have_ended_and_end_with_their_caller() {
    let text = |bytes: &str| {
        format!(
            "duration = \"5 s\"\n{}[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"tcp_reno\"\nbytes = \"{bytes}\"\n",
            linux("5 ms", "limit = 50")
        )
    };
    let after = |bytes: &str| {
        let scenario = parse(&text(bytes));
        let mut world = World::new(&scenario, 1);
        world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
        (scenario, world)
    };
    let (scenario, world) = after("100 MB");
    let idle = world.idle_times(&scenario, 1, &mut NoExternals, &mut |_, _| -> Result<(), EngineError> {
        panic!("nothing has ended")
    });
    assert!(matches!(idle, Ok(None)));
    let (scenario, world) = after("10 kB");
    let over = EngineError::TooManyEvents { limit: 7, at: Time::ZERO };
    let idle = world.idle_times(&scenario, 1, &mut NoExternals, &mut |_, _| Err(over.clone()));
    assert_eq!(idle.map(|_| ()), Err(over));
}

/// Two hosts, and a workload from `a` to `b` with these keys.
fn session(kind: &str, keys: &str, duration: &str, queue: &str) -> RunReport {
    run_seed(
        &format!(
            "duration = \"{duration}\"\n{}[[workload]]\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\n{keys}\n",
            linux("25 ms", queue)
        ),
        4,
    )
}

#[test]
fn exchanges_take_round_trips_and_bytes() {
    let keys = "answer = \"10 kB\"\nthink = \"7 ms\"\ntimes = 3\nask = 400";
    let report = session("request", keys, "5 s", "limit = 1000");
    let times = &report.workloads[0].sessions.times["exchange"];
    assert_eq!((times.count, times.unfinished), (3, 0));
    // 10 kB in seven segments, a request, and for the first one SYN, SYN-ACK and ACK: bytes at 10 Mb/s, and round trips.
    let [data, ask, setup] = [10_364.0, 452.0, 172.0].map(|bytes| bytes * 8.0 / 10e6);
    let usual = 0.05 + 0.007 + data + ask;
    let first = usual + 0.05 + setup;
    let mean = times.mean_s.expect("times");
    assert!((mean - (first + 2.0 * usual) / 3.0).abs() < 3e-4, "{mean}");
    assert!((times.p50_s.expect("times") - usual).abs() < 3e-4, "{times:?}");
    // Data of both directions: three responses at the sink.
    assert_eq!((report.flows[0].unique_bps, report.flows[0].src), (report.flows[0].goodput_bps, 0));
    assert!((report.workloads[0].goodput_bps - 3.0 * 80_000.0 / 5.0).abs() < 1.0);
    // A response of many round trips is sent once: acknowledgments are no requests.
    let long = session("request", &keys.replace("10 kB", "300 kB"), "5 s", "limit = 1000");
    assert_eq!(long.workloads[0].sessions.times["exchange"].count, 3);
    assert!((long.workloads[0].goodput_bps - 3.0 * 2_400_000.0 / 5.0).abs() < 1.0);
    let spaced = session("request", &format!("{keys}\ninterval = \"1 s\""), "2500 ms", "limit = 1000");
    assert_eq!(spaced.workloads[0].sessions.times["exchange"].count, 2);
    assert!(
        session("request", &format!("{}\nstart_spread = \"0 s\"", keys.replace('3', "1")), "50 ms", "limit = 9")
            .workloads[0]
            .sessions
            .times["exchange"]
            .mean_s
            .is_none()
    );
}

#[test]
fn pages_load_faster_over_more_connections() {
    let page = |connections: u32| {
        let keys =
            format!("connections = {connections}\nobjects = 24\nobject = \"3 kB\"\nreading = \"1 s\"\ncount = 2");
        let report = session("web", &keys, "60 s", "limit = 1000");
        assert_eq!(report.flows.len() as u32, 2 * connections);
        let times = report.workloads[0].sessions.times["page"].clone();
        assert!(times.count > 20 && times.unfinished <= 2, "{times:?}");
        // What the pages have is what the flows delivered.
        let bytes = report.workloads[0].goodput_bps * 60.0 / 8.0;
        assert!((bytes / (times.count as f64 * 112_000.0) - 1.0).abs() < 0.05, "{bytes} {times:?}");
        times.p50_s.expect("times")
    };
    let (one, six) = (page(1), page(6));
    // Over one connection, 25 responses in turn take 25 round trips; over six, five.
    assert!(one > 25.0 * 0.05 && one < 25.0 * 0.05 + 0.4, "{one}");
    assert!(six > 5.0 * 0.05 && six < 5.0 * 0.05 + 0.4, "{six}");
}

#[test]
fn video_follows_the_path() {
    let watch = |ladder: &str, load: &str| {
        let text = format!(
            "duration = \"120 s\"\n{}{load}[[workload]]\nkind = \"video\"\nfrom = \"a\"\nto = \"b\"\n{ladder}\n",
            linux("25 ms", "kind = \"fq_codel\", limit = 1000")
        );
        let report = run_seed(&text, 2);
        (report.workloads[0].sessions.values.clone(), report.workloads[0].sessions.times["startup"].mean_s)
    };
    let (fast, startup) = watch("", "");
    assert_eq!(fast["stalls"], 0.0);
    assert!(fast["video_bps"] > 3.5e6 && fast["switches"] >= 1.0, "{fast:?}");
    // The first segment of 150 kB.
    assert!(startup.is_some_and(|secs| (0.25..0.8).contains(&secs)), "{startup:?}");
    let (shared, _) = watch("", &BULK.repeat(6));
    assert!(shared["video_bps"] < fast["video_bps"] && shared["stalled_share"] < 0.05, "{shared:?}");
    let (constant, _) = watch("ladder = [\"4 Mb/s\"]", &BULK.repeat(9));
    assert!(constant["stalls"] > 1.0 && constant["stalled_share"] > 0.2, "{constant:?}");
    assert_eq!((constant["switches"], constant["video_bps"]), (0.0, 4e6));
}

#[test]
fn viewer_without_a_segment_has_no_stalls() {
    let text = "duration = \"10 s\"\n[topology]\nkind = \"positions\"\npositions = [[0, 0], [2000, 0]]\n\
                [[workload]]\nkind = \"video\"\nfrom = 0\nto = 1\n";
    let report = run_seed(text, 1);
    let found = &report.workloads[0].sessions;
    assert_eq!((found.times["startup"].count, found.times["startup"].unfinished), (0, 1));
    assert!(found.values.is_empty(), "{:?}", found.values);
}

#[test]
fn pings_wait_behind_bulk_in_a_fifo_only() {
    let under = |queue: &str| {
        // The same queue both ways: a download also waits for ACKs in the queue of the uploads.
        let both = linux("25 ms", queue).replace("kind = \"drop_tail\", limit = 1000", queue);
        let keys = "[[workload]]\nkind = \"rrul\"\nfrom = \"a\"\nto = \"b\"\nconnections = 2\nquiet = \"5 s\"\n";
        let report = run_seed(&format!("duration = \"30 s\"\n{both}{keys}"), 4);
        let times = report.workloads[0].sessions.times.clone();
        for idle in ["tcp_ping_idle", "udp_ping_idle"] {
            let mean = times[idle].mean_s.expect("pings");
            assert!((mean - 0.0502).abs() < 5e-3 && times[idle].count >= 24, "{idle}: {:?}", times[idle]);
        }
        assert_eq!(report.flows.len(), 7);
        assert!(
            report.sessions.values["down_bps"] > 6e6 && report.sessions.values["up_bps"] > 6e6,
            "{:?}",
            report.sessions
        );
        assert!(report.wires[0].utilization.expect("time") > 0.6, "{:?}", report.wires[0]);
        (times["udp_ping"].p50_s.expect("pings"), times["tcp_ping"].p50_s.expect("pings"))
    };
    let (udp, tcp) = under("kind = \"drop_tail\", limit = 167");
    let (managed, _) = under("kind = \"fq_codel\", limit = 1000");
    assert!(udp > 0.1 && tcp > 0.1, "{udp} {tcp}");
    assert!(managed < 0.06, "{managed}");
}

#[test]
fn sessions_cross_a_mesh_and_repeat() {
    let text = "duration = \"30 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[[workload]]\nkind = \"web\"\nfrom = 0\nto = [1, 2, 3]\n\
                connections = 2\nobjects = 4\nreading = \"2 s\"\n[[workload]]\nkind = \"video\"\nfrom = 3\nto = 0\n\
                ladder = [\"100 kb/s\", \"300 kb/s\"]\n[[workload]]\nkind = \"rrul\"\nfrom = 0\nto = 2\nconnections = 1\nstart = \"9 s\"\n";
    let (one, two) = (run_seed(text, 1), run_seed(text, 1));
    assert_eq!(one.fingerprint, two.fingerprint);
    assert!(one.workloads[0].sessions.times["page"].count > 2, "{:?}", one.workloads);
    assert!(one.workloads[2].sessions.times["tcp_ping_idle"].count > 5, "{:?}", one.workloads[2]);
    assert_ne!(one.fingerprint, run_seed(text, 2).fingerprint);
    let scenario = parse(text);
    assert_eq!(scenario.canonical(), parse(&scenario.to_toml()).canonical());
}
