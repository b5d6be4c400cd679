//! Listed links: equal runs from places and from the list of their links, losses, links that come and go, one-way links.

use hoplab::kernel::{RadioId, Time};
use hoplab::measure::RunReport;
use hoplab::scenario::{NamedFile, Resolved};
use hoplab::world::World;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::fmt::Write;

fn parse(text: &str, csv: &str) -> Resolved {
    parsed(text, csv).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn parsed(text: &str, csv: &str) -> Result<Resolved, String> {
    let file = NamedFile { name: "a.csv".to_owned(), path: "a.csv".to_owned(), text: Ok(csv.to_owned()) };
    Resolved::parse_with(text, "links.toml", &[], &[file]).map_err(|error| error.to_string())
}

fn run(scenario: &Resolved) -> (String, RunReport) {
    let mut world = World::new(scenario, 1);
    world.run_until(scenario.end()).unwrap_or_else(|error| panic!("{error}"));
    world.audit().unwrap_or_else(|error| panic!("{error}"));
    (world.ctx().trace.fingerprint().to_string(), world.report(scenario, 1, 0.0))
}

/// Sender, receiver, watts and nanoseconds of all links of a run.
fn rows(scenario: &Resolved) -> Vec<(u32, u32, f64, u64)> {
    let sensed = &inputs(scenario)["sensed"][0];
    let number = |row: &Json, i: usize| row[i].as_f64().expect("a number");
    let row = |row: &Json| {
        let nanos = (number(row, 3) * 1e9).round() as u64;
        (number(row, 0) as u32, number(row, 1) as u32, number(row, 2), nanos)
    };
    sensed.as_array().expect("rows").iter().map(row).collect()
}

fn inputs(scenario: &Resolved) -> Json {
    World::new(scenario, 1).bound_inputs(scenario, &[Time::ZERO])
}

/// Nodes on the path of flow 0.
fn path(scenario: &Resolved) -> Json {
    inputs(scenario)["flows"][0]["path"].clone()
}

fn csv(rows: &[(u32, u32, f64, u64)]) -> String {
    let mut text = "from,to,power_w,delay_ns\n".to_owned();
    for (from, to, power, delay) in rows {
        writeln!(text, "{from},{to},{power:e},{delay}").expect("text");
    }
    text
}

const LINKS: &str = "[topology]\nkind = \"links\"\nfile = \"a.csv\"\n";

fn names(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|node| format!("\"{node}\"")).collect();
    format!("names = [{}]\n", names.join(", "))
}

/// Radio, MAC and transports that read powers and delays in different ways.
const MODELS: [&str; 11] = [
    "[[flow]]\ntransport = \"new_reno\"\n",
    "profile = \"std\"\n[[flow]]\ntransport = \"sack\"\n",
    "[radio]\npropagation = \"shadowing\"\npath_loss_exponent = 2.7\nrx_range = \"250 m\"\ncs_range = \"550 m\"\n[[flow]]\n",
    "[radio]\npropagation = \"shadowing\"\npath_loss_exponent = 2.7\nshadowing_coherence = \"link\"\nrx_range = \"250 m\"\n\
     cs_range = \"550 m\"\n[[flow]]\n",
    "[radio.errors]\nmodel = \"gilbert\"\n[[flow]]\n",
    "[radio.errors]\nmodel = \"ber_curves\"\n[[flow]]\n",
    "[routing]\nprotocol = \"aodv\"\n[[flow]]\n",
    "[routing]\nprotocol = \"dsdv\"\n[[flow]]\n",
    "[routing]\nprotocol = \"dsr\"\n[[flow]]\n",
    "[routing]\nprotocol = \"olsr\"\n[[flow]]\n",
    "[[flow]]\ntransport = \"semi_tcp\"\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn list_of_places_gives_the_run_of_the_places(
        places in proptest::collection::vec((0.0..900.0f64, 0.0..500.0f64), 4..14), model in 0..MODELS.len(),
    ) {
        let listed: Vec<String> = places.iter().map(|(x, y)| format!("[{x:?}, {y:?}]")).collect();
        let times = "duration = \"4 s\"\n";
        // A key at the top must precede all tables.
        let (top, rest) = MODELS[model].split_at(MODELS[model].find('[').unwrap_or(0));
        let topology = format!("[topology]\nkind = \"positions\"\npositions = [{}]\n", listed.join(", "));
        let placed = parse(&format!("{times}{top}{topology}{rest}"), "");
        let csv = csv(&rows(&placed));
        let text = format!("{times}{top}{LINKS}{}{rest}", names(places.len()));
        // Nodes that exchange no frame are refused as a list.
        let scenario = match parsed(&text, &csv) {
            Ok(scenario) => scenario,
            Err(error) => {
                prop_assert!(error.contains("no link"), "{error}");
                return Ok(());
            }
        };
        prop_assert_eq!(run(&scenario).0, run(&placed).0);
        prop_assert_eq!(rows(&scenario), rows(&placed));
        // Facts of a shadowed network are those of mean powers.
        if !placed.radio.is_shadowed() {
            prop_assert_eq!(scenario.facts().flows, placed.facts().flows);
        }
    }
}

#[test]
fn matrix_of_a_chain_is_that_of_the_specification() {
    let chain = parse("[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]\n", "");
    let known = [
        (0, 1, 8.917_535_214_843_75e-10),
        (0, 2, 5.573_459_509_277_344e-11),
        (1, 0, 8.917_535_214_843_75e-10),
        (1, 2, 8.917_535_214_843_75e-10),
        (1, 3, 5.573_459_509_277_344e-11),
    ];
    let rows = rows(&chain);
    assert_eq!(rows.len(), 10);
    for (from, to, power) in known {
        let row = rows.iter().find(|row| (row.0, row.1) == (from, to)).expect("a link");
        assert!((row.2 / power - 1.0).abs() < 1e-12, "{row:?}");
        // The engine rounds delays up (docs/design/propagation-delays.md).
        assert_eq!(row.3, if power > 1e-10 { 667 } else { 1334 });
    }
}

#[test]
fn power_is_known_in_three_ways() {
    // Rows `power` of the oracle of the specification: SNR, dBm, path loss.
    let text = "from,to,snr_db,power_dbm,path_loss_db\na,b,20,,\nb,a,,-80,\na,c,5,,\nc,a,,,100.5\n";
    let radio = "[radio]\nrx_threshold = \"-82 dBm\"\ncs_threshold = \"-92 dBm\"\n";
    let scenario = parse(&format!("{LINKS}{radio}[[flow]]\nfrom = \"a\"\nto = \"b\"\n"), text);
    let table = scenario.radio.links.as_ref().expect("a table");
    let power = |from: u32, to: u32| {
        table.at_start(RadioId(from)).iter().find(|receiver| receiver.radio.0 == to).expect("a link").power
    };
    for ((from, to), watts) in
        [((0, 1), 4.414_728_106e-11), ((1, 0), 1e-11), ((0, 2), 1.396_059_606e-12), ((2, 0), 2.511_885_156e-11)]
    {
        assert!((power(from, to) / watts - 1.0).abs() < 1e-9, "{from} {to}: {:e}", power(from, to));
    }
}

#[test]
fn delay_follows_power_where_none_is_given() {
    let text = "from,to,power_w\na,b,1e-6\nb,a,1e-9\na,c,1.6e-11\nb,c,1e-13\n";
    let scenario = parse(&format!("{LINKS}[[flow]]\nfrom = \"a\"\nto = \"b\"\n"), text);
    let table = scenario.radio.links.as_ref().expect("a table");
    let delays: Vec<u32> =
        table.at_start(RadioId(0)).iter().chain(table.at_start(RadioId(1))).map(|receiver| receiver.delay).collect();
    // Rows `delay` of the oracle, rounded up: 13.866, 546.464, 194.353 and 1943.53 m.
    assert_eq!(delays, [47, 1822, 648, 1999]);
}

/// Two nodes within reach, and what else the CSV text says.
fn pair(more: &str) -> String {
    format!("from,to,power_w,delivery,t_s,way\na,b,1e-9,,,both\n{more}")
}

#[test]
fn link_that_is_gone_carries_nothing_and_comes_back() {
    let text = pair("b,c,1e-9,,,both\na,b,,,10,both\na,b,1e-9,,20,both\n");
    let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"200 kb/s\"\n";
    let times = "duration = \"30 s\"\ngoodput_interval = \"1 s\"\n";
    let (_, report) = run(&parse(&format!("{times}{LINKS}{flow}"), &text));
    let series = &report.goodput_series_bps[0][..];
    assert!(series[11..19].iter().all(|rate| *rate == 0.0), "{series:?}");
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    assert!((mean(&series[1..10]) - 2e5).abs() < 1e4 && (mean(&series[22..]) - 2e5).abs() < 1e4, "{series:?}");
}

#[test]
fn loss_by_link_equals_uniform_loss() {
    let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"2 Mb/s\"\n";
    let plain = format!(
        "duration = \"10 s\"\n{LINKS}[radio.errors]\nmodel = \"uniform_packet\"\nframe_error_rate = 0.1\n{flow}"
    );
    let uniform = run(&parse(&plain, &pair("")));
    let by_link = format!("duration = \"10 s\"\n{LINKS}{flow}");
    let text = "from,to,power_w,delivery,way\na,b,1e-9,0.9,both\n";
    let scenario = parse(&by_link, text);
    assert_eq!(scenario.radio.errors.model.name(), "links");
    assert_eq!(run(&scenario).0, uniform.0);
    let better = run(&parse(&by_link, "from,to,power_w,delivery,way\na,b,1e-9,0.99,both\n"));
    assert!(better.1.flows[0].goodput_bps > 1.05 * uniform.1.flows[0].goodput_bps);
}

#[test]
fn one_way_link_disturbs_and_carries_nothing() {
    let flows = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"2 Mb/s\"\n[[flow]]\nfrom = \"c\"\nto = \"d\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"2 Mb/s\"\n";
    let text = format!("duration = \"10 s\"\n{LINKS}names = [\"a\", \"b\", \"c\", \"d\"]\n{flows}");
    let apart = run(&parse(&text, &pair("c,d,1e-9,,,both\n"))).1;
    let disturbed = parse(&text, &pair("c,d,1e-9,,,both\nc,b,8e-10,,,\n"));
    let report = run(&disturbed).1;
    assert!(report.flows[0].goodput_bps < 0.5 * apart.flows[0].goodput_bps);
    assert!((report.flows[1].goodput_bps / apart.flows[1].goodput_bps - 1.0).abs() < 0.02);
    let lonely = parse(&text.replace("to = \"d\"", "to = \"b\""), &pair("c,d,1e-9,,,both\nc,b,8e-10,,,\n"));
    assert!(
        lonely.warnings.iter().any(|warning| warning.contains("no path from 2 (c) to 1 (b)")),
        "{:?}",
        lonely.warnings
    );
}

#[test]
fn sense_only_link_defers_and_is_never_read() {
    let flows = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"2 Mb/s\"\n[[flow]]\nfrom = \"c\"\nto = \"d\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"2 Mb/s\"\n";
    let text = format!("duration = \"10 s\"\n{LINKS}{flows}");
    let csv = |more: &str| format!("from,to,power_w,sense_only,way\na,b,1e-6,,both\nc,d,1e-6,,both\n{more}");
    let sum = |csv: &str| run(&parse(&text, csv)).1.flows.iter().map(|flow| flow.goodput_bps).sum::<f64>();
    let (apart, shared) = (sum(&csv("")), sum(&csv("a,c,1e-9,true,both\n")));
    assert!(shared < 0.6 * apart, "{shared} {apart}");
    let scenario = parse(&text, &csv("a,c,1e-9,true,both\n"));
    assert_eq!(scenario.facts().partitions, Some(2));
}

#[test]
fn etx_takes_the_reliable_detour() {
    let csv = "from,to,power_w,delivery,way\na,c,1e-9,0.5,both\na,b,1e-9,0.95,both\nb,c,1e-9,0.95,both\n";
    let flow = "[[flow]]\nfrom = \"a\"\nto = \"c\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"2 Mb/s\"\n";
    let hops = parse(&format!("duration = \"10 s\"\n{LINKS}{flow}"), csv);
    let etx = parse(&format!("duration = \"10 s\"\n{LINKS}[routing]\nmetric = \"etx\"\n{flow}"), csv);
    assert_eq!((path(&hops), path(&etx)), (json!([0, 1]), json!([0, 2, 1])));
    let goodput = |scenario| run(scenario).1.flows[0].goodput_bps;
    assert!(goodput(&etx) > 1.2 * goodput(&hops));
}

#[test]
fn heights_count_in_distances() {
    let text = |height: u32| {
        format!(
            "duration = \"2 s\"\n[topology]\nkind = \"places\"\nnames = [\"mast\", \"yard\"]\n\
             geo = [[48.4, 9.98, {height}], [48.4, 9.9815, 0]]\n[[flow]]\nfrom = \"mast\"\nto = \"yard\"\n"
        )
    };
    let power = |height| rows(&parse(&text(height), ""))[0].2;
    // 111 m apart: a height of 150 m makes 187 m.
    let ratio = power(0) / power(150);
    let (flat, tall) = (111.06_f64, (111.06_f64 * 111.06 + 150.0 * 150.0).sqrt());
    let crossover = 86.14_f64;
    let squared = (tall / flat) * (tall / flat);
    assert!(flat > crossover && (ratio / (squared * squared) - 1.0).abs() < 0.01, "{ratio}");
    assert_eq!(parse(&text(0), "").facts().flows.len(), 1);
}

#[test]
fn list_reads_back_from_its_own_text() {
    let text = "[topology]\nkind = \"links\"\nlinks = [\n{ from = \"a\", to = \"b\", power = \"-71 dBm\", way = \"both\" },\n\
                { from = \"b\", to = \"c\", snr_db = 25, delivery = 0.8, delivery_bytes = 100, distance = \"150 m\", way = \"both\" },\n\
                ]\n[radio]\nrx_threshold = \"-90 dBm\"\ncs_threshold = \"-95 dBm\"\n[[flow]]\nfrom = \"c\"\nto = \"a\"\n";
    let first = parse(text, "");
    let again = parse(&first.to_toml(), "");
    assert_eq!((first.to_toml(), first.canonical()), (again.to_toml(), again.canonical()));
    let other = parse(&text.replace("0.8", "0.7"), "");
    assert_ne!(first.canonical(), other.canonical());
    let renamed = parse(&text.replace("\"c\"", "\"z\""), "");
    assert_eq!(first.canonical(), renamed.canonical(), "names change no result");
}

/// Two links of equal delivery without power, by `fill = "level"`.
const LEVELED: &str = "duration = \"2 s\"\nprofile = \"std\"\n[topology]\nkind = \"links\"\nfill = \"level\"\nlinks = [\n\
    { from = \"a\", to = \"b\", delivery = 1, way = \"both\" },\n{ from = \"b\", to = \"c\", delivery = 1, way = \"both\" },\n]\n\
    [[flow]]\nfrom = \"a\"\nto = \"c\"\n";

#[test]
fn level_carries_every_data_rate() {
    let modes = [
        "[radio]\nstandard = \"11a\"\n[mac]\ndata_rate = \"6 Mb/s\"",
        "[radio]\nstandard = \"11a\"\n[mac]\ndata_rate = \"54 Mb/s\"",
        "[radio]\nstandard = \"11g\"\n[mac]\ndata_rate = \"54 Mb/s\"",
        "[radio]\nstandard = \"11a\"\nnoise_figure_db = 20\n[mac]\ndata_rate = \"54 Mb/s\"",
        "[radio]\nstandard = \"11a\"\n[mac]\ndata_rate = \"6 Mb/s\"\n[[node]]\nid = 1\nmac.data_rate = \"54 Mb/s\"",
        "[radio]\nstandard = \"11n\"\n[mac]\nmcs = 7\nampdu = \"0 B\"",
        "[radio]\nstandard = \"11n\"\nstreams = 2\nbandwidth = \"40 MHz\"\n[mac]\nmcs = 15\nampdu = \"0 B\"",
        "[radio]\nstandard = \"11n\"\n[mac]\nrate_control = \"minstrel_ht\"\nampdu = \"0 B\"",
    ];
    for mode in modes {
        let scenario = parse(&format!("{LEVELED}{mode}\n"), "");
        assert_eq!(scenario.facts().partitions, Some(1), "{mode}");
        assert!(run(&scenario).1.flows[0].goodput_bps > 1e6, "{mode}");
    }
}

#[test]
fn links_of_facts_are_those_of_routes() {
    for (standard, power, is_link) in [("11a", -80, false), ("11a", -60, true), ("11b", -60, true)] {
        let rate = if standard == "11a" { "54 Mb/s" } else { "11 Mb/s" };
        let text = format!(
            "profile = \"std\"\n[topology]\nkind = \"links\"\nlinks = [\n{{ from = \"a\", to = \"b\", power = \"{power} dBm\", \
             way = \"both\" }},\n]\n[radio]\nstandard = \"{standard}\"\n[mac]\ndata_rate = \"{rate}\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n"
        );
        let scenario = parse(&text, "");
        assert_eq!(scenario.facts().partitions, Some(if is_link { 1 } else { 2 }), "{text}");
        assert_eq!(path(&scenario).is_null(), !is_link, "{text}: {}", path(&scenario));
        assert_eq!(scenario.warnings.iter().any(|warning| warning.contains("has no path")), !is_link, "{text}");
    }
}

#[test]
fn wrong_links_are_one_problem() {
    let etx = "[routing]\nmetric = \"etx\"\n[[flow]]\n";
    let far = "geo = [[48.4, 9.98], [9.98, 48.4]]\n";
    for (keys, csv, key) in [
        (far, "from,to,delivery\n0,1,1\n1,0,1\n", "topology.geo"),
        ("", "from,to,delivery\n0,1,7\n", "delivery"),
        ("", "from,to,delivery\n0,1,1\n1,0,1\n", "power of 2 links is missing"),
    ] {
        let error = parsed(&format!("{LINKS}{}{keys}{etx}", names(2)), csv).expect_err(csv);
        assert!(error.contains(key) && !error.contains("routing.metric"), "{error}");
    }
}

#[test]
fn names_that_reorder_text_are_refused() {
    for letter in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}', '\u{2028}', '\u{7}'] {
        let csv = format!("from,to,power_dbm,way\na{letter}x,b,-60,both\n");
        let error = parsed(&format!("{LINKS}[[flow]]\n"), &csv).expect_err("a name");
        assert!(error.contains("is no name"), "{error}");
    }
    parse(&format!("{LINKS}[[flow]]\n"), "from,to,power_dbm,way\nDach Süd,ברוך,-60,both\n");
}

/// The links of a run as a file with a column for the channel.
fn csv_by_channel(scenario: &Resolved) -> String {
    let radios = scenario.radios();
    let mut text = "from,to,channel,power_w,delay_ns\n".to_owned();
    for (from, to, power, delay) in rows(scenario) {
        let [a, b] = [from, to].map(|radio| radios.owner(RadioId(radio)).0);
        writeln!(text, "{a},{b},{},{power:e},{delay}", radios.channel(RadioId(from))).expect("text");
    }
    text
}

#[test]
fn list_by_channel_gives_the_run_of_nodes_with_several_radios() {
    let nodes = "[[node]]\nid = 0\nradios = [{ channel = 36 }, { channel = 40 }]\n\
                 [[node]]\nid = 1\nradios = [{ channel = 40 }, { channel = 36 }, { channel = 44 }]\n\
                 [[node]]\nid = 2\nradios = [{ channel = 44 }]\n[[node]]\nid = 3\nradios = [{ channel = 44 }, { channel = 40 }]\n";
    for routing in ["static", "aodv", "olsr", "dsr", "hwmp"] {
        let top = format!("duration = \"8 s\"\nrouting.protocol = \"{routing}\"\n");
        let flows = "[[flow]]\nfrom = 0\nto = 3\n[[flow]]\nfrom = 3\nto = 1\ntransport = \"cubic\"\nstart = \"1 s\"\n";
        let places = "[topology]\nkind = \"positions\"\npositions = [[0, 0], [150, 90], [300, -20], [410, 60]]\n";
        let placed = parse(&format!("{top}{places}{nodes}{flows}"), "");
        let by_channel = csv_by_channel(&placed);
        let scenario = parse(&format!("{top}{LINKS}{}{nodes}{flows}", names(4)), &by_channel);
        assert_eq!(rows(&scenario), rows(&placed), "{routing}");
        assert_eq!(run(&scenario).0, run(&placed).0, "{routing}");
        // Powers are those of all channels of one band: without the column a row is one for each channel in common.
        let mut once: Vec<&str> = Vec::new();
        let all = by_channel.lines().map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            [fields[0], fields[1], fields[3], fields[4]].join(",")
        });
        let all: Vec<String> = all.collect();
        for line in &all {
            if !once.contains(&line.as_str()) {
                once.push(line);
            }
        }
        let scenario = parse(&format!("{top}{LINKS}{}{nodes}{flows}", names(4)), &(once.join("\n") + "\n"));
        assert_eq!(run(&scenario).0, run(&placed).0, "{routing}");
    }
}

/// Two nodes with radios on channels 36 and 40, between which 36 loses seven of ten frames each way.
fn two_channels(routing: &str, first: u32, second: u32) -> f64 {
    let radios = format!("radios = [{{ channel = {first} }}, {{ channel = {second} }}]\n");
    let text = format!(
        "duration = \"60 s\"\nwarmup = \"20 s\"\n{routing}\n{LINKS}[[node]]\nid = \"a\"\n{radios}[[node]]\nid = \"b\"\n{radios}\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\napp = \"cbr\"\nrate = \"3 Mb/s\"\nsegment = 1000\nstart = \"15 s\"\n"
    );
    let csv = "from,to,channel,snr_db,delivery,way\na,b,36,40,0.3,both\na,b,,40,1,both\n";
    run(&parse(&text, csv)).1.flows[0].goodput_bps
}

#[test]
fn row_of_a_channel_replaces_that_of_all() {
    let of = |routing, first, second| two_channels(routing, first, second);
    let (bad, good) = (of("routing.protocol = \"static\"", 36, 40), of("routing.protocol = \"static\"", 40, 36));
    assert!(good > 4.0 * bad && bad > 0.0, "{good} {bad}");
    let chosen = of("routing.metric = \"etx\"", 36, 40);
    assert!((chosen / good - 1.0).abs() < 0.002, "static paths by ETX choose the channel: {chosen} {good}");
    // OLSR measures both links, and takes the one that loses none, whichever is listed first.
    for (first, second) in [(36, 40), (40, 36)] {
        let measured = of("routing = { protocol = \"olsr\", olsr = { metric = \"etx\" } }", first, second);
        assert!(measured > 0.9 * good, "{measured} {good}");
    }
}

#[test]
fn etx_counts_the_link_on_its_channel() {
    // From a to c directly on 40, where half of all frames arrive each way, or by b on 36, where all do.
    let nodes = "[[node]]\nid = \"a\"\nradios = [{ channel = 36 }, { channel = 40 }]\n\
                 [[node]]\nid = \"c\"\nradios = [{ channel = 40 }, { channel = 36 }]\n";
    let text = |metric| {
        format!(
            "duration = \"5 s\"\nradio.channel = 36\nrouting.metric = \"{metric}\"\n{LINKS}names = [\"a\", \"b\", \"c\"]\n{nodes}\
             [[flow]]\nfrom = \"a\"\nto = \"c\"\n"
        )
    };
    let csv = "from,to,channel,snr_db,delivery,way\na,b,36,40,1,both\nb,c,36,40,1,both\na,c,40,40,0.5,both\n";
    assert_eq!(path(&parse(&text("hops"), csv)), json!([0, 2]));
    assert_eq!(path(&parse(&text("etx"), csv)), json!([0, 1, 2]));
    // On 36, which both list first, nothing is listed between a and c.
    let both = text("hops").replace("[{ channel = 40 }, { channel = 36 }]", "[{ channel = 36 }, { channel = 40 }]");
    assert_eq!(path(&parse(&both, csv)), json!([0, 2]));
    // Channel 44 is that of no node.
    let scenario = parse(&text("etx"), &(csv.to_owned() + "a,c,44,40,1,both\n"));
    assert_eq!(path(&scenario), json!([0, 1, 2]));
    assert!(scenario.warnings.iter().any(|text| text.contains("a to c on channel 44")), "{:?}", scenario.warnings);
    let error = parsed(&text("etx"), &(csv.to_owned() + "a,b,36,40,1,\n")).expect_err("twice");
    assert!(error.contains("listed twice on channel 36 at one time, first at line 2"), "{error}");
}
