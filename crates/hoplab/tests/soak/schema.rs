//! Random scenarios of every key: what a key may be is read from the schema of a scenario file.
//!
//! The network is drawn so that it can carry something under each standard, routing protocol, topology and wire. Keys
//! and their values are drawn without regard to each other: what contradicts the rest, the engine names and [`Draft::mend`]
//! takes out. Not drawn are [`NOT_DRAWN`].

use crate::draft::{Block, Draft, Setting};
use crate::variables::{Chance, MOST_EVENTS, quoted, transports};
use hoplab::kernel::{Purpose, RandomStreams};
use serde_json::Value as Json;
use std::sync::OnceLock;

/// Tables and keys that no scenario draws, with the reason in RELIABILITY.md.
pub const NOT_DRAWN: [&str; 16] = [
    "live",                // programs of the system
    "flow.controller",     // Python
    "workload.controller", // Python
    "flow.source",         // Python
    "mac.rate_controller", // Python
    "name",                // free text: the fuzz targets
    "seed",                // the number of the scenario
    "duration",            // bounds the time of a run
    "topology",            // drawn with the network, as are the next three
    "mobility",
    "traffic",
    "flow.app",
    "workload.kind",
    "node.id",
    "node.kind",
    "node.name",
];

/// A key of a table, and its schema without references.
struct Key {
    /// `mac.ssrl`, or `rate` in a list.
    path: String,
    schema: Json,
}

/// Keys of `[table]`s, and of each list of tables.
struct Keys {
    tables: Vec<Key>,
    flow: Vec<Key>,
    node: Vec<Key>,
    wire: Vec<Key>,
    workload: Vec<Key>,
}

fn keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| {
        let root = hoplab::scenario::schema();
        let list = |name: &str| {
            let mut keys = Vec::new();
            leaves(&root, &root["properties"][name]["items"], "", &mut keys);
            keys.retain(|key| !NOT_DRAWN.contains(&format!("{name}.{}", key.path).as_str()));
            keys
        };
        let mut tables = Vec::new();
        leaves(&root, &root, "", &mut tables);
        tables.retain(|key| {
            let table = key.path.split('.').next().unwrap_or_default();
            !NOT_DRAWN.contains(&table) && !NOT_DRAWN.contains(&key.path.as_str())
        });
        Keys { tables, flow: list("flow"), node: list("node"), wire: list("wire"), workload: list("workload") }
    })
}

/// How many keys are drawn.
pub fn count() -> usize {
    let Keys { tables, flow, node, wire, workload } = keys();
    [tables, flow, node, wire, workload].into_iter().map(Vec::len).sum()
}

/// All keys below a schema that have values of their own, not tables and not lists of tables.
fn leaves(root: &Json, schema: &Json, prefix: &str, found: &mut Vec<Key>) {
    let schema = followed(root, schema);
    if let Some(properties) = schema["properties"].as_object() {
        for (name, inner) in properties {
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            leaves(root, inner, &path, found);
        }
        return;
    }
    let is_table = schema["additionalProperties"] == Json::Bool(false);
    let is_list_of_tables = !followed(root, &schema["items"])["properties"].is_null();
    if !prefix.is_empty() && !is_table && !is_list_of_tables {
        found.push(Key { path: prefix.to_owned(), schema });
    }
}

/// A schema with its references followed, an optional one as what it is if it is there. Defaults stay.
fn followed(root: &Json, schema: &Json) -> Json {
    let mut schema = schema.clone();
    let default = schema.get("default").cloned();
    loop {
        let options: Vec<&Json> =
            schema["anyOf"].as_array().into_iter().flatten().filter(|one| one["type"] != "null").collect();
        let next = if let Some(name) = schema["$ref"].as_str() {
            root.pointer(name.trim_start_matches('#')).cloned()
        } else if let [only] = options[..] {
            Some(only.clone())
        } else {
            None
        };
        let Some(next) = next else { break };
        schema = next;
    }
    if let (Some(default), Some(table)) = (default, schema.as_object_mut()) {
        table.insert("default".to_owned(), default);
    }
    schema
}

/// A value of a key as TOML: a choice, its limits, its default times something, or one of a few of its kind.
fn value(key: &Key, chance: &mut Chance<'_>) -> Option<String> {
    let schema = &key.schema;
    let is = |kind: &str| match &schema["type"] {
        Json::String(one) => one == kind,
        Json::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    };
    let mut choices = Vec::new();
    if key.path == "transport" {
        // Without those of libraries, which this program does not have.
        choices.extend(transports().into_iter().map(quoted));
    } else {
        named(schema, &mut choices);
    }
    if !choices.is_empty() {
        return Some(choices[chance.below(choices.len() as u32) as usize].clone());
    }
    if is("boolean") {
        return Some(chance.pick(&["true", "false"]).to_owned());
    }
    if let Some(kind) = schema["x-quantity"].as_str() {
        return Some(quoted(&quantity(kind, schema, chance)));
    }
    if is("integer") || is("number") {
        let whole = is("integer");
        return Some(number(schema, whole, chance));
    }
    None
}

/// The names that a schema allows, quoted.
fn named(schema: &Json, choices: &mut Vec<String>) {
    choices.extend(schema["const"].as_str().or(schema.as_str()).map(quoted));
    for list in ["enum", "oneOf"] {
        schema[list].as_array().into_iter().flatten().for_each(|one| named(one, choices));
    }
}

/// Values of the kind of a quantity, where its default says nothing.
fn quantity(kind: &str, schema: &Json, chance: &mut Chance<'_>) -> String {
    let default = schema["default"].as_str().filter(|_| chance.once_in(2));
    if let Some((amount, unit)) = default.and_then(|text| text.split_once(' ')) {
        let amount: f64 = amount.parse().unwrap_or(1.0);
        let factor: f64 = chance.pick(&["0", "0.1", "0.5", "2", "10"]).parse().expect("a number");
        // Where the default is a power in dBm, half of it is no half: some other power all the same.
        return format!("{} {unit}", amount * factor);
    }
    let values: &[&str] = match kind {
        "time" => &["0 s", "1 ns", "1 us", "100 us", "1 ms", "20 ms", "100 ms", "1 s", "30 s"],
        "number of bytes" => &["0 B", "1 B", "40 B", "100 B", "600 B", "1460 B", "4000 B", "20 kB", "65535 B"],
        "rate" => &["20 kb/s", "1 Mb/s", "2 Mb/s", "5.5 Mb/s", "6 Mb/s", "11 Mb/s", "24 Mb/s", "54 Mb/s", "200 Mb/s"],
        "length" => &["0 m", "1 m", "30 m", "250 m", "550 m", "1 km"],
        "power" => &["1 mW", "40 mW", "281.8 mW", "-95 dBm", "-82 dBm", "-64 dBm", "3.6e-7 mW"],
        "speed" => &["1 m/s", "20 m/s", "200 m/s"],
        "frequency" => &["914 MHz", "2.4 GHz", "5.18 GHz", "20 MHz", "1 MHz"],
        "number per time" => &["0.2 /s", "2 /s", "20 /s"],
        _ => &["0 s"],
    };
    chance.pick(values).to_owned()
}

fn number(schema: &Json, whole: bool, chance: &mut Chance<'_>) -> String {
    let (least, most) = (schema["minimum"].as_f64().unwrap_or(0.0), schema["maximum"].as_f64().unwrap_or(1e6));
    let default = schema["default"].as_f64();
    let amount = match chance.below(8) {
        0 => least,
        // The greatest of a count may be a run without end; of a share it is 1.
        1 => most.min(least + 200.0),
        2 | 3 => default.unwrap_or(least + 1.0) / 2.0,
        4 | 5 => default.unwrap_or(least + 2.0) * 2.0,
        _ => least + f64::from(chance.below(10)) * (most - least).min(20.0) / 10.0,
    };
    let amount = amount.clamp(least, most);
    if whole { format!("{}", amount.round()) } else { format!("{amount:?}") }
}

/// Draws some keys, each at most once.
fn some(keys: &[Key], number: u32, chance: &mut Chance<'_>, settings: &mut Vec<Setting>) {
    for _ in 0..number {
        let key = &keys[chance.below(keys.len() as u32) as usize];
        if settings.iter().any(|setting| setting.key == key.path) {
            continue;
        }
        if let Some(value) = value(key, chance) {
            settings.push(Setting::new(&key.path, &value));
        }
    }
}

/// The random scenario of this number.
pub fn draft(number: u64) -> Draft {
    let mut chance = Chance::Drawn(RandomStreams::new(number).stream(Purpose::Traffic, 0x5_c4e3));
    let chance = &mut chance;
    // A tick of 1 ns makes a thousand million events a second.
    let mut draft = Draft { seed: number, cut_at: Some(MOST_EVENTS), ..Draft::default() };
    let nodes = network(&mut draft, chance, number);
    let gateways = wires(&mut draft, chance, nodes);
    radios(&mut draft, chance, nodes);
    let mut transport = (number as usize) * 3;
    for _ in 0..=chance.below(3) {
        transport += 1;
        draft.blocks.push(flow(chance, transport, nodes, gateways));
    }
    if chance.once_in(3) {
        draft.blocks.push(workload(chance, nodes, gateways));
    }
    for _ in 0..chance.below(3) {
        node(&mut draft, chance, nodes);
    }
    // Half of the keys from tables that this scenario has something to do with.
    let near = near(&draft);
    let keys = &keys().tables;
    for _ in 0..chance.below(8) {
        let keys: Vec<&Key> =
            keys.iter().filter(|key| near.iter().any(|name| key.path.contains(name.as_str()))).collect();
        let key = keys[chance.below(keys.len() as u32) as usize];
        let is_set = draft.settings.iter().any(|setting| setting.key == key.path);
        if let Some(value) = value(key, chance).filter(|_| !is_set) {
            draft.settings.push(Setting::new(&key.path, &value));
        }
    }
    let number = chance.below(10);
    some(keys, number, chance, &mut draft.settings);
    draft
}

/// Words of the tables whose keys matter here: those of transports and routing protocol, and what all have.
fn near(draft: &Draft) -> Vec<String> {
    let in_blocks = draft.blocks.iter().flat_map(|block| &block.settings);
    let chosen = draft.settings.iter().chain(in_blocks).filter(|one| {
        matches!(one.key.as_str(), "transport" | "routing.protocol" | "observer" | "feedback_router" | "queue.kind")
    });
    let mut near: Vec<String> =
        chosen.map(|one| one.value.trim_matches('"').trim_start_matches("tcp_").to_owned()).collect();
    near.extend(["mac.", "queue.", "radio.", "link."].map(str::to_owned));
    near
}

/// Standard, places, rates and routing, so that neighbors hear each other. How many nodes there are, at least.
fn network(draft: &mut Draft, chance: &mut Chance<'_>, number: u64) -> u32 {
    let mut set = |key: &str, value: &str| draft.settings.push(Setting::new(key, value));
    set("duration", &quoted(chance.pick(&["500 ms", "1 s", "2 s", "4 s"])));
    let standard = ["11b", "11b", "11a", "11g", "11n"][(number % 5) as usize];
    let is_std = standard != "11b" || chance.once_in(3);
    let mut scale = 1.0;
    if is_std {
        set("profile", "\"std\"");
    }
    if standard != "11b" {
        scale = 0.1;
        set("radio.standard", &quoted(standard));
        set("radio.propagation", "\"shadowing\"");
        set("radio.path_loss_exponent", "3");
        set("radio.shadowing_deviation_db", chance.pick(&["0", "0", "3"]));
        set("radio.tx_power", "\"40 mW\"");
        if standard == "11n" && chance.once_in(2) {
            set("mac.ampdu", &quoted(chance.pick(&["0 B", "8191 B", "65535 B"])));
        }
        if chance.once_in(3) {
            let controls = ["\"arf\"", "\"aarf\"", "\"ideal\"", "\"minstrel_ht\"", "\"minstrel\""];
            set("mac.rate_control", chance.pick(&controls));
        } else if standard == "11n" {
            set("mac.mcs", chance.pick(&["0", "3", "7", "12"]));
        } else {
            set("mac.data_rate", chance.pick(&["\"6 Mb/s\"", "\"24 Mb/s\"", "\"54 Mb/s\""]));
        }
    }
    if chance.once_in(3) {
        set("queue.kind", chance.pick(&["\"red\"", "\"codel\"", "\"fq_codel\"", "\"pie\"", "\"airtime_fq\""]));
    }
    let protocols = ["static", "aodv", "dsdv", "dsr", "olsr", "hwmp"];
    set("routing.protocol", &quoted(protocols[(number / 5 % 6) as usize]));
    let length = |meters: u32| format!("\"{} m\"", f64::from(meters) * scale);
    let kinds = ["chain", "grid", "parallel", "spindle", "cross", "random", "positions", "links"];
    let kind = kinds[(number / 30 % 8) as usize];
    set("topology.kind", &quoted(kind));
    let nodes = match kind {
        "grid" => {
            set("topology.rows", chance.pick(&["1", "2", "3"]));
            set("topology.columns", chance.pick(&["2", "3"]));
            2
        }
        "random" => {
            set("topology.nodes", chance.pick(&["6", "12"]));
            set("topology.area", &format!("[{}, {}]", length(600), length(300)));
            6
        }
        "positions" => {
            let count = 3 + chance.below(5);
            let place = |limit: u32, chance: &mut Chance<'_>| f64::from(chance.below(limit)) * scale;
            let places: Vec<_> =
                (0..count).map(|_| format!("[{:?}, {:?}]", place(700, chance), place(300, chance))).collect();
            set("topology.positions", &format!("[{}]", places.join(", ")));
            count
        }
        "links" => {
            let count = 3 + chance.below(4);
            let row = |from: u32, to: u32, chance: &mut Chance<'_>| {
                // At least the first link can be used, with the thresholds of each standard.
                let (quality, way) = match to {
                    1 => ("power = \"-60 dBm\"", "both"),
                    _ => (
                        chance.pick(&["snr_db = 30.0", "snr_db = 12.0", "path_loss_db = 80.0", "power = \"-60 dBm\""]),
                        chance.pick(&["both", "both", "one"]),
                    ),
                };
                format!("{{ from = \"n{from}\", to = \"n{to}\", {quality}, way = \"{way}\" }}")
            };
            let mut rows: Vec<_> = (1..count).map(|to| row(to - 1, to, chance)).collect();
            if chance.once_in(2) {
                rows.push(row(0, count - 1, chance));
            }
            let names: Vec<_> = (0..count).map(|node| format!("\"n{node}\"")).collect();
            set("topology.links", &format!("[{}]", rows.join(", ")));
            set("topology.names", &format!("[{}]", names.join(", ")));
            count
        }
        _ => {
            set("topology.hops", chance.pick(&["2", "3", "4", "6"]));
            set("topology.spacing", &length(200));
            3
        }
    };
    if kind == "grid" {
        set("topology.spacing", &length(200));
    }
    if chance.once_in(5) && kind != "links" {
        set("mobility.kind", "\"waypoint\"");
        set("mobility.init", "\"topology\"");
        set("mobility.max_speed", chance.pick(&["\"2 m/s\"", "\"50 m/s\""]));
        set("mobility.area", &format!("[{}, {}]", length(800), length(400)));
    }
    nodes
}

/// Hosts behind wires, in one of three scenarios. How many.
fn wires(draft: &mut Draft, chance: &mut Chance<'_>, nodes: u32) -> u32 {
    if !chance.once_in(3) {
        return 0;
    }
    let hosts = 1 + chance.below(2);
    for host in 0..hosts {
        let named = |key: &str, value: &str| Setting::new(key, value);
        let name = quoted(&format!("host{host}"));
        draft.blocks.push(Block { table: "node", settings: vec![named("kind", "\"host\""), named("name", &name)] });
        let between = format!("[{name}, {}]", chance.below(nodes));
        let mut settings = vec![named("between", &between)];
        settings.push(named("rate", chance.pick(&["\"1 Mb/s\"", "\"20 Mb/s\"", "\"1 Gb/s\""])));
        settings.push(named("delay", chance.pick(&["\"0 s\"", "\"10 ms\"", "\"200 ms\""])));
        let number = chance.below(4);
        some(&keys().wire, number, chance, &mut settings);
        draft.blocks.push(Block { table: "wire", settings });
    }
    hosts
}

/// A second radio at each node, in one of five scenarios with OFDM.
fn radios(draft: &mut Draft, chance: &mut Chance<'_>, nodes: u32) {
    let is_ofdm = draft.settings.iter().any(|setting| setting.key == "radio.standard" && setting.value != "\"11g\"");
    if !is_ofdm || !chance.once_in(4) {
        return;
    }
    for id in 0..nodes {
        let channels = chance.pick(&["[{ channel = 36 }]", "[{ channel = 36 }, { channel = 44 }]"]);
        let settings = vec![Setting::new("id", &id.to_string()), Setting::new("radios", channels)];
        draft.blocks.push(Block { table: "node", settings });
    }
}

/// Two ends, of which one may be a host.
fn ends(chance: &mut Chance<'_>, nodes: u32, hosts: u32) -> [String; 2] {
    let node = chance.below(nodes);
    let other = (node + 1 + chance.below(nodes - 1)) % nodes;
    let far = if hosts > 0 && chance.once_in(2) {
        quoted(&format!("host{}", chance.below(hosts)))
    } else {
        other.to_string()
    };
    if chance.once_in(2) { [node.to_string(), far] } else { [far, node.to_string()] }
}

fn flow(chance: &mut Chance<'_>, transport: usize, nodes: u32, hosts: u32) -> Block {
    let transports = transports();
    let transport = transports[transport % transports.len()];
    let [from, to] = ends(chance, nodes, hosts);
    let mut settings =
        vec![Setting::new("transport", &quoted(transport)), Setting::new("from", &from), Setting::new("to", &to)];
    if transport == "udp" {
        settings.push(Setting::new("app", chance.pick(&["\"cbr\"", "\"on_off\"", "\"voip\"", "\"adhoc_probe\""])));
        settings.push(Setting::new("rate", chance.pick(&["\"64 kb/s\"", "\"1 Mb/s\"", "\"20 Mb/s\""])));
    } else if chance.once_in(4) {
        settings.push(Setting::new("app", "\"cbr\""));
        settings.push(Setting::new("rate", "\"300 kb/s\""));
    }
    let number = chance.below(4);
    some(&keys().flow, number, chance, &mut settings);
    Block { table: "flow", settings }
}

fn workload(chance: &mut Chance<'_>, nodes: u32, hosts: u32) -> Block {
    let [from, to] = ends(chance, nodes, hosts);
    let kind = chance.pick(&["poisson", "request", "web", "video", "rrul"]);
    let mut settings = vec![Setting::new("kind", &quoted(kind)), Setting::new("from", &from), Setting::new("to", &to)];
    if kind == "poisson" {
        settings.push(Setting::new(
            "size",
            chance.pick(&["\"1 kB\"", "\"100 kB\"", "{ pareto = 1.2, min = \"4 kB\", max = \"500 kB\" }"]),
        ));
        settings.push(Setting::new("rate", chance.pick(&["\"1 /s\"", "\"10 /s\""])));
    }
    let number = chance.below(5);
    some(&keys().workload, number, chance, &mut settings);
    Block { table: "workload", settings }
}

fn node(draft: &mut Draft, chance: &mut Chance<'_>, nodes: u32) {
    let id = chance.below(nodes).to_string();
    let number = 1 + chance.below(4);
    let is_it = |block: &&mut Block| block.table == "node" && block.settings[0] == Setting::new("id", &id);
    if let Some(block) = draft.blocks.iter_mut().find(is_it) {
        some(&keys().node, number, chance, &mut block.settings);
        return;
    }
    let mut settings = vec![Setting::new("id", &id)];
    some(&keys().node, number, chance, &mut settings);
    draft.blocks.push(Block { table: "node", settings });
}
