//! A scenario written as TOML reads as an equal scenario, and the schema describes every key.

use hoplab::kernel::{Bytes, FlowId, NodeId, Span, Time, Watts};
use hoplab::mac::{MacConfig, MacProfile};
use hoplab::scenario::{PathFact, Resolved, TRANSPORTS, TopologyKind, schema};
use hoplab::transport::congestion::VegasConfig;
use hoplab::transport::{CongestionConfig, TcpConfig};
use proptest::prelude::*;
use proptest::test_runner::{FailurePersistence, FileFailurePersistence};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;

fn good(name: &str) -> Resolved {
    let text = good_text(name);
    let settings = text.lines().map_while(|line| line.strip_prefix("#! --set "));
    let overrides: Vec<(String, String)> =
        settings.filter_map(|setting| setting.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
    Resolved::parse(&text, &format!("{name}.toml"), &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn good_text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/good").join(format!("{name}.toml"));
    fs::read_to_string(path).expect("a good scenario")
}

const GOOD: [&str; 20] = [
    "doubtful",
    "dsdv",
    "dsr",
    "everything",
    "free_space",
    "generated",
    "hwmp",
    "inline",
    "least",
    "moving",
    "olsr",
    "one_way_power",
    "overridden",
    "partitioned",
    "random",
    "semi_tcp",
    "standard",
    "switched",
    "traffic",
    "walkers",
];

fn reads_back_equal(resolved: &Resolved) {
    let text = resolved.to_toml();
    let again = Resolved::parse(&text, "again.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&again, resolved, "{text}");
    assert_eq!(again.to_json(), resolved.to_json());
    assert_eq!(again.canonical(), resolved.canonical());
    assert_eq!(again.to_toml(), text);
}

#[test]
fn written_scenarios_read_back_equal() {
    for name in GOOD {
        reads_back_equal(&good(name));
    }
}

#[test]
fn defaults_are_those_of_ns2() {
    let least = good("least");
    assert_eq!((least.name.as_str(), least.seed), ("least", 1));
    assert_eq!((least.duration, least.warmup), (Span::from_millis(100_000), Span::ZERO));
    assert_eq!(least.positions, [(0.0, 0.0), (200.0, 0.0)]);
    assert_eq!(least.mac, MacConfig::default());
    let flow = &least.flows[0];
    assert_eq!((flow.id, flow.src, flow.dst), (FlowId(0), NodeId(0), NodeId(1)));
    assert_eq!((flow.transport.name, flow.segment, flow.window), ("new_reno", Bytes(1460), 20));
    assert_eq!((flow.start, flow.stop), (Time::ZERO, None));
}

#[test]
fn profile_of_a_table_overrides_that_of_the_scenario() {
    let standard = good("standard");
    assert_eq!((standard.mac.profile, standard.mac.data_overhead), (MacProfile::Std, Bytes(36)));
    let json = standard.to_json();
    assert_eq!(json["routing"]["profile"], "rfc");
    assert_eq!(json["routing"]["aodv"]["network_diameter"], 35);
    assert_eq!(json["tcp"]["profile"], "ns2_oneway");
    assert_eq!(json["tcp"]["min_rto_s"], json!(0.2));

    // Keys without a profile value stay unset; keys that a profile sets keep it beside keys that the user sets.
    let text = good_text("least") + "[tcp]\nprofile = \"rfc\"\ncongestion.vegas.alpha = 2\n";
    let text = text.replace("[[flow]]", "") + "[[flow]]\n";
    let rfc = Resolved::parse(&text, "rfc.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let vegas = VegasConfig { alpha: 2.0, ..TcpConfig::rfc().congestion.vegas };
    assert_eq!(
        rfc.tcp,
        TcpConfig { congestion: CongestionConfig { vegas, ..CongestionConfig::default() }, ..TcpConfig::rfc() }
    );
}

#[test]
fn resolved_json_is_in_si_units() {
    let json = good("everything").to_json();
    assert_eq!(json["duration_s"], json!(120.0));
    assert_eq!(json["radio"]["frequency_hz"], json!(2.4e9));
    assert_eq!(json["radio"]["antenna_height_m"], json!(1.5));
    assert!((json["radio"]["tx_power_w"].as_f64().expect("watts") - 0.281_838_29).abs() < 1e-8);
    // 250 m and 500 m, docs/specs/phy.md section 7, with the power of 24.5 dBm.
    assert!((json["radio"]["rx_threshold_w"].as_f64().expect("watts") / 3.652_622e-10 - 1.0).abs() < 1e-5);
    assert!((json["radio"]["cs_threshold_w"].as_f64().expect("watts") / 2.282_889e-11 - 1.0).abs() < 1e-5);
    assert!(json["radio"].get("reach_m").is_none());
    assert_eq!(json["mac"]["data_rate_bps"], json!(11e6));
    assert_eq!(json["mac"]["rts_threshold"], json!(3000));
    assert_eq!(json["link"], json!({ "arp": false, "delay_s": 2.5e-5 }));
    assert_eq!(json["topology"]["positions"].as_array().map(Vec::len), Some(14));
    assert_eq!(json["topology"]["positions"][13], json!([-50.5, 1000.0]));
    assert_eq!(json["nodes"][0], json!({ "id": 2, "mac": { "cw_min": 15 } }));
    assert_eq!(json["nodes"][1]["mac"], json!({ "ssrl": 4 }));
    assert_eq!(json["nodes"][1]["queue"], json!({ "limit": 10 }));
    assert!((json["nodes"][1]["radio"]["tx_power_w"].as_f64().expect("watts") - 0.1).abs() < 1e-12);
    assert_eq!(json["tcp"]["congestion"]["vegas"]["alpha"], json!(2.0));
    let flow = json!({
        "id": 0, "from": 0, "to": 11, "app": "ftp", "transport": "vegas", "segment": 512, "window": 8,
        "start_s": 1.0, "stop_s": 90.0,
    });
    assert_eq!(json["flows"][0], flow);
    assert_eq!(json["flows"][1]["rate_bps"], json!(64e3));
    assert_eq!(json["flows"][1]["stop_s"], Json::Null);
    assert_eq!((&json["flows"][2]["from"], &json["flows"][2]["to"]), (&json!(13), &json!(6)));
}

#[test]
fn overrides_apply_to_all_flows_one_flow_and_nodes() {
    let scenario = good("overridden");
    assert_eq!(scenario.name, "two words");
    assert_eq!(scenario.positions.len(), 14);
    assert_eq!(scenario.positions[1], (150.0, 0.0));
    assert_eq!(scenario.flows.iter().map(|flow| flow.transport.name).collect::<Vec<_>>(), ["vegas", "vegas"]);
    assert_eq!(scenario.flows.iter().map(|flow| flow.window).collect::<Vec<_>>(), [20, 4]);
    assert_eq!((scenario.mac.ssrl, scenario.mac_of(NodeId(2)).ssrl, scenario.mac_of(NodeId(2)).slrl), (9, 3, 2));
    assert_eq!((scenario.queue_of(NodeId(4)).limit, scenario.queue_of(NodeId(2)).limit), (5, 50));
    assert_eq!(scenario.tx_power_of(NodeId(2)), Watts(0.281_838_15));
}

#[test]
fn facts_count_partitions_degree_and_hops() {
    let facts = good("partitioned").facts();
    assert_eq!((facts.nodes, facts.partitions), (7, Some(3)));
    // Links: 0-1, 0-6, 1-2, 1-6, 3-4.
    assert!((facts.mean_degree.expect("a small network") - 10.0 / 7.0).abs() < 1e-12);
    assert!((facts.rx_range.0 - 250.010_65).abs() < 1e-4 && (facts.cs_range.0 - 550.021_51).abs() < 1e-4);
    let paths: Vec<PathFact> = facts.flows.iter().map(|(_, path)| *path).collect();
    assert_eq!(paths, [PathFact::Hops(1), PathFact::None, PathFact::None]);
}

#[test]
fn natural_pairs_have_the_hops_of_their_topology() {
    for (kind, hops) in [("chain", 1..=9), ("parallel", 1..=9), ("spindle", 1..=9), ("cross", 1..=9)] {
        for hops in hops {
            let flows = if kind == "chain" { "[[flow]]" } else { "[[flow]]\n[[flow]]" };
            let text = format!("[topology]\nkind = \"{kind}\"\nhops = {hops}\n{flows}\n");
            let scenario = Resolved::parse(&text, "h.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.warnings, Vec::<String>::new());
            let facts = scenario.facts();
            assert!(facts.flows.iter().all(|(_, path)| *path == PathFact::Hops(hops)), "{kind} {hops}: {facts:?}");
        }
    }
}

#[test]
fn default_ranges_link_the_nodes_of_a_chain() {
    for (spacing, reach) in [("250 m", "250 m"), ("0.3 m", "0.3 m"), ("123.456 m", "123.456 m")] {
        let text = format!(
            "topology = {{ kind = \"chain\", hops = 1, spacing = \"{spacing}\" }}\nradio.rx_range = \"{reach}\"\n\
             radio.cs_range = \"550 m\"\n[[flow]]\n"
        );
        let scenario = Resolved::parse(&text, "h.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scenario.facts().flows[0].1, PathFact::Hops(1), "{spacing}");
    }
}

#[test]
fn schema_accepts_good_scenarios_and_describes_keys() {
    let schema = schema();
    for name in GOOD {
        let value: toml::Table = good_text(name).parse().expect("TOML");
        let value = serde_json::to_value(value).expect("JSON");
        assert_eq!(misfit(&value, &schema, &schema), None, "{name}");
    }
    let wrong = json!({ "topology": { "kind": "chain", "hops": 4 }, "flow": [{ "transport": "newreno" }] });
    assert!(misfit(&wrong, &schema, &schema).is_some());
    let wrong = json!({ "topology": { "kind": "chain", "hopps": 4 }, "flow": [{}] });
    assert!(misfit(&wrong, &schema, &schema).is_some());
    let wrong = json!({ "topology": { "kind": "chain" }, "flow": {} });
    assert!(misfit(&wrong, &schema, &schema).is_some());
    undescribed(&schema, "");
    for (name, definition) in schema["$defs"].as_object().expect("definitions") {
        undescribed(definition, name);
    }
}

fn undescribed(schema: &Json, name: &str) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}.{key}");
    }
}

/// Where a value does not fit a schema: the keywords that ours uses, `pattern` apart.
fn misfit(value: &Json, schema: &Json, root: &Json) -> Option<String> {
    if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
        let name = target.rsplit('/').next()?;
        return misfit(value, &root["$defs"][name], root);
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(list) = schema.get(alternatives).and_then(Json::as_array) {
            let fits = list.iter().any(|choice| misfit(value, choice, root).is_none());
            return (!fits).then(|| format!("{value} fits none of {list:?}"));
        }
    }
    if schema.get("const").is_some_and(|constant| constant != value) {
        return Some(format!("{value} is not {}", schema["const"]));
    }
    if schema.get("enum").and_then(Json::as_array).is_some_and(|words| !words.contains(value)) {
        return Some(format!("{value} is not in {}", schema["enum"]));
    }
    let types: Vec<&str> = match &schema["type"] {
        Json::Array(types) => types.iter().filter_map(Json::as_str).collect(),
        type_ => type_.as_str().into_iter().collect(),
    };
    let fits = |type_: &&str| match *type_ {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        _ => value.is_null(),
    };
    if !types.is_empty() && !types.iter().any(fits) {
        return Some(format!("{value} is not {types:?}"));
    }
    if let Some(number) = value.as_f64()
        && (schema["minimum"].as_f64().is_some_and(|low| number < low)
            || schema["maximum"].as_f64().is_some_and(|high| number > high))
    {
        return Some(format!("{value} is out of range"));
    }
    if let Some(items) = value.as_array()
        && let Some(item) = schema.get("items")
    {
        return items.iter().find_map(|value| misfit(value, item, root));
    }
    let object = value.as_object()?;
    let missing = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    if let Some(key) = missing.into_iter().find(|key| !object.contains_key(*key)) {
        return Some(format!("{key} is missing"));
    }
    object.iter().find_map(|(key, value)| match schema["properties"].get(key) {
        Some(property) => misfit(value, property, root).map(|problem| format!("{key}: {problem}")),
        None => Some(format!("{key} is unknown")),
    })
}

/// Random scenarios that are valid, as text.
fn scenario() -> impl Strategy<Value = String> {
    let topology = prop_oneof![
        (1..30u32, 1..400u32).prop_map(|(h, s)| format!("kind = \"chain\"\nhops = {h}\nspacing = \"{s} m\"\n")),
        (2..6u32, 2..6u32).prop_map(|(r, c)| format!("kind = \"grid\"\nrows = {r}\ncolumns = {c}\n")),
        (1..9u32, 1..999u32).prop_map(|(h, s)| format!("kind = \"parallel\"\nhops = {h}\nrow_spacing = \"{s}.5 m\"\n")),
        (2..9u32)
            .prop_flat_map(|h| (Just(h), 0..h))
            .prop_map(|(h, k)| format!("kind = \"spindle\"\nhops = {h}\nshared = {k}\n")),
        (1..9u32).prop_map(|h| format!("kind = \"cross\"\nhops = {h}\n")),
        proptest::collection::vec((-1e4..1e4f64, -1e4..1e4f64), 2..9).prop_map(|list| {
            let places: Vec<String> = list.iter().map(|(x, y)| format!("[{x:?}, {y:?}]")).collect();
            format!("kind = \"positions\"\npositions = [{}]\n", places.join(", "))
        }),
    ];
    let flow = (0..TRANSPORTS.len(), 1..65_495u32, 1..1000u32, 0..10_000_000_000u64, 1..u64::MAX >> 12).prop_map(
        |(transport, segment, window, start, rate)| {
            let name = TRANSPORTS[transport].name;
            let rate = if name == "udp" {
                format!("app = \"cbr\"\nrate = \"{} b/s\"\n", rate as f64 / 1e6)
            } else {
                String::new()
            };
            format!(
                "[[flow]]\nfrom = 0\nto = 1\ntransport = \"{name}\"\n{rate}segment = {segment}\nwindow = {window}\n\
                 start = \"{start} ns\"\n"
            )
        },
    );
    let radio = (-30.0..30.0f64, 100.0..300.0f64, prop_oneof![Just("two_ray"), Just("free_space")], 0.1..4.0f64).prop_map(
        |(dbm, reach, loss, gain)| {
            format!(
                "[radio]\ntx_power = \"{dbm} dBm\"\nrx_range = \"{reach} m\"\ncs_range = \"{} m\"\npropagation = \"{loss}\"\n\
                 rx_gain = {gain:?}\n",
                reach * 2.0
            )
        },
    );
    let rest =
        (1..255u32, 2..100u32, prop_oneof![Just("ns2"), Just("std")], 0..1_000_000_000u64, 1..255u32, any::<i64>())
            .prop_map(|(ssrl, limit, profile, delay, other, seed)| {
                let top = format!("profile = \"{profile}\"\nseed = {}\n", seed.unsigned_abs() >> 1);
                let tables = format!(
                    "[mac]\nssrl = {ssrl}\n[queue]\nlimit = {limit}\n[link]\ndelay = \"{delay} ns\"\n[[node]]\nid = 1\n\
                 mac.slrl = {other}\n[[node]]\nid = 0\nradio.tx_power = \"{other} mW\"\n"
                );
                (top, tables)
            });
    (topology, proptest::collection::vec(flow, 1..4), radio, rest).prop_map(
        |(topology, flows, radio, (top, tables))| {
            // A station has one handshake policy.
            let has_semi = flows.iter().any(|flow| flow.contains("\"semi_tcp"));
            let flows = flows.concat();
            let flows = if has_semi { flows.replace("\"hop_release\"", "\"semi_tcp\"") } else { flows };
            format!("{top}[topology]\n{topology}{radio}{tables}{flows}")
        },
    )
}

/// Inputs that failed before are stored beside this file, and tested first.
#[allow(clippy::unnecessary_wraps, reason = "the type that proptest asks for")]
fn failures() -> Option<Box<dyn FailurePersistence>> {
    Some(Box::new(FileFailurePersistence::WithSource("regressions")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: failures(), ..ProptestConfig::default() })]

    #[test]
    fn any_written_scenario_reads_back_equal(text in scenario()) {
        let resolved = Resolved::parse(&text, "some.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        reads_back_equal(&resolved);
    }
}

#[test]
fn all_topologies_are_listed_in_order() {
    let kinds: Vec<&str> = TopologyKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds, ["chain", "grid", "parallel", "spindle", "cross", "positions", "places", "links", "random"]);
}

#[test]
fn generator_of_flows_is_part_of_the_identity() {
    let text = |more: &str| {
        format!(
            "duration = \"200 s\"\n[topology]\nkind = \"random\"\nnodes = 20\narea = [\"600 m\", \"600 m\"]\n\
             [traffic]\npairs = \"random\"\nkind = \"tcp\"\nconnections = 3\n{more}"
        )
    };
    let of = |more: &str, seed: &str| {
        Resolved::parse(&text(more), "drawn.toml", &[("seed".to_owned(), seed.to_owned())]).expect("a scenario")
    };
    let (own, fixed) = (of("", "1"), of("seed = 1\n", "1"));
    assert_eq!(own.flows, fixed.flows, "with seed 1 they are the same flows");
    assert_ne!(own.canonical(), fixed.canonical(), "with other seeds they are not");
    assert_ne!(own.flows, of("", "2").flows);
    assert_eq!(own.canonical(), of("", "2").canonical(), "each run draws its own");
    let again =
        Resolved::parse(&own.to_toml(), "again.toml", &[("seed".to_owned(), "2".to_owned())]).expect("it reads");
    assert_eq!(again.flows, of("", "2").flows, "what is written draws as well");
}
