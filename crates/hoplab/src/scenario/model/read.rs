//! From text to [`Resolved`].

use crate::kernel::Span;
use crate::mac::MacConfig;
use crate::mac::handshake::HandshakeKind;
use crate::mac::observer::{IdleGapConfig, WinfConfig};
use crate::mobility::Trajectory;
use crate::net::link::{LinkConfig, QueueConfig};
use crate::net::routing::RoutingConfig;
use crate::packet::ExplicitConfig;
use crate::phy::RadioConfig;
use crate::scenario::imports::movement::{self, NamedFile, PlacementError};
use crate::scenario::model::connectivity;
use crate::scenario::model::resolved::{DrawnTraffic, Resolved};
use crate::scenario::schema::aliases::{self, ALIASES};
use crate::scenario::schema::check::{self, Section};
use crate::scenario::schema::file::{Profile, root};
use crate::scenario::schema::flow::{self, Times};
use crate::scenario::schema::reader::{Reader, Shape};
use crate::scenario::schema::semi_tcp::{SemiTcpConfig, SemiTcpPreset};
use crate::scenario::schema::{node, traffic};
use crate::scenario::scheme::Admission;
use crate::scenario::syntax::diagnostic::ScenarioError;
use crate::scenario::syntax::source::{Source, Trouble};
use crate::scenario::syntax::tree::{self, Node, Origin, Value};
use crate::transport::TcpConfig;
use crate::transport::proxy::split_tcp::SplitTcpConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest text that is read.
const MAX_TEXT: usize = 2 << 20;

/// Warnings that are kept; more of them say no more.
const MAX_WARNINGS: usize = 50;

/// Keys at the top of the file that hold no table.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Top {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    profile: Profile,
    duration: Span,
    warmup: Span,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    progress: Option<Span>,
    seed: u64,
}

impl Resolved {
    /// Reads a scenario.
    ///
    /// `text` is TOML, `path` how messages name the file it came from. `overrides` are keys and values set on top, in
    /// order (`mac.ssrl`, `flow.transport` for all flows, `flow.0.window`, `node.3.mac.ssrl`); a value is TOML if it
    /// reads as such, and a text otherwise.
    ///
    /// # Errors
    /// Everything that is wrong with it. A movement file that it names is missing here: see [`Resolved::parse_with`].
    pub fn parse(text: &str, path: &str, overrides: &[(String, String)]) -> Result<Resolved, ScenarioError> {
        Resolved::parse_with(text, path, overrides, &[])
    }

    /// The same for a scenario that names files: `files` are those that [`crate::scenario::files_named`] lists.
    ///
    /// # Errors
    /// Everything that is wrong with the scenario, and the first thing that is wrong with a file.
    pub fn parse_with(
        text: &str,
        path: &str,
        overrides: &[(String, String)],
        files: &[NamedFile],
    ) -> Result<Resolved, ScenarioError> {
        let source = Source::new(text, path, overrides);
        let mut reader = Reader::new(&source, files);
        let resolved = read(&mut reader);
        let Reader { mut troubles, warnings, .. } = reader;
        troubles.sort_by_key(|(origin, _)| match origin {
            Origin::File(span) => (0, span.start),
            Origin::SetKey(index) | Origin::SetValue(index) => (1, *index),
            Origin::Beside { line, .. } => (2, line.unwrap_or(0) as usize),
            Origin::Nowhere => (3, 0),
        });
        // An override for all flows fails once for each of them.
        troubles.dedup_by(|(a, _), (b, _)| a == b && !matches!(a, Origin::Nowhere));
        let problems = troubles.into_iter().map(|(origin, trouble)| source.problem(&origin, trouble)).collect();
        if let Some(error) = ScenarioError::of(problems) {
            return Err(error);
        }
        let Some(mut resolved) = resolved else { unreachable!("a scenario without problems is whole") };
        resolved.warnings = warnings;
        resolved.warnings.extend(connectivity::same_places(&resolved.positions));
        resolved.warnings.extend(movement::doubts(&resolved));
        resolved.warn_of_partitions();
        resolved.warn_of_refusals();
        let more = resolved.warnings.len().saturating_sub(MAX_WARNINGS);
        if more > 0 {
            resolved.warnings.truncate(MAX_WARNINGS);
            resolved.warnings.push(format!("and {more} more warnings"));
        }
        Ok(resolved)
    }
}

fn read(reader: &mut Reader<'_>) -> Option<Resolved> {
    let source = reader.source;
    if is_too_long(source) {
        let message = format!("the scenario has {} bytes", length(source));
        let expected = format!("at most {} MiB", MAX_TEXT >> 20);
        reader.refuse(&Origin::Nowhere, Trouble { message, expected, ..Trouble::default() });
        return None;
    }
    let mut tree = match tree::parse(source) {
        Ok(tree) => tree,
        Err(error) => {
            let (origin, trouble) = *error;
            reader.refuse(&origin, trouble);
            return None;
        }
    };
    let Reader { troubles, warnings, .. } = reader;
    let refuse = |origin, trouble| troubles.push((origin, trouble));
    aliases::apply(&mut tree, source, ALIASES, refuse, |warning| warnings.push(warning));
    let top = read_top(reader, &tree);
    let section = |key: &'static str| Section { key, table: tree.get(key) };
    let fields = root();

    let base = if top.profile == Profile::Ns2 { RadioConfig::default() } else { RadioConfig::std() };
    let mut radio = reader.overlay(tree.get("radio"), "radio", fields.table("radio"), base);
    let base = if is_ns2(section("mac"), top.profile) { MacConfig::default() } else { MacConfig::std() };
    let mac = reader.overlay(tree.get("mac"), "mac", fields.table("mac"), base);
    let link = reader.overlay(tree.get("link"), "link", fields.table("link"), LinkConfig::default());
    let queue = reader.overlay(tree.get("queue"), "queue", fields.table("queue"), QueueConfig::default());
    let base = if is_ns2(section("routing"), top.profile) { RoutingConfig::default() } else { RoutingConfig::rfc() };
    let routing = reader.overlay(tree.get("routing"), "routing", fields.table("routing"), base);
    let base = match section("tcp").given("profile").map(|node| &node.value) {
        Some(Value::Text(own)) if own == "ns2_linux" => TcpConfig::ns2_linux(),
        _ if is_ns2(section("tcp"), top.profile) => TcpConfig::default(),
        _ => TcpConfig::rfc(),
    };
    let mut tcp = reader.overlay(tree.get("tcp"), "tcp", fields.table("tcp"), base);
    let explicit = read_explicit(reader, &tree);
    let winf = reader.overlay(tree.get("winf"), "winf", fields.table("winf"), WinfConfig::default());
    let idle_gap = reader.overlay(tree.get("idle_gap"), "idle_gap", fields.table("idle_gap"), IdleGapConfig::default());
    tcp.share(&explicit);

    let base = SemiTcpConfig::preset(preset(section("semi_tcp")));
    let semi_tcp = reader.overlay(tree.get("semi_tcp"), "semi_tcp", fields.table("semi_tcp"), base);
    let split_tcp =
        reader.overlay(tree.get("split_tcp"), "split_tcp", fields.table("split_tcp"), SplitTcpConfig::default());

    check::radio(reader, section("radio"), &mut radio);
    check::mac(reader, section("mac"), &mac);
    check::link(reader, section("link"), &link);
    check::queue(reader, section("queue"), &queue);
    check::routing(reader, section("routing"), &routing);
    check::tcp(reader, section("tcp"), &tcp);
    check::split_tcp(reader, section("split_tcp"), &split_tcp, &routing);
    check::explicit(reader, section, &explicit);
    check::estimators(reader, section, &winf, &idle_gap);
    check_times(reader, &tree, &top);

    let (mobility, replay, topology) = movement::read(reader, &tree, top.profile, top.duration);
    let nodes = node::read(reader, &tree, topology.as_ref(), &mac, &queue, radio.tx_power);
    let flows = flow::read(reader, &tree, topology.as_ref(), Times { duration: top.duration, warmup: top.warmup });
    let traffic = tree.get("traffic").map(|table| (table, traffic::read(reader, table, top.duration)));
    let mut schemes =
        flows.iter().map(|flow| flow.scheme).chain(traffic.iter().filter_map(|(_, config)| config.scheme()));
    let is_pulled = schemes.any(|scheme| scheme.admission == Admission::Pull);
    semi_tcp.check(reader, section("semi_tcp"), &tcp, is_pulled);
    if !reader.troubles.is_empty() {
        return None;
    }
    let mut resolved = Resolved {
        name: top.name.unwrap_or_else(|| stem(source.path).to_owned()),
        profile: top.profile,
        duration: top.duration,
        warmup: top.warmup,
        progress: top.progress,
        seed: top.seed,
        positions: Vec::new(),
        topology: topology?,
        mobility,
        replay,
        radio,
        mac,
        link,
        queue,
        routing: routing.resolved(),
        tcp,
        semi_tcp,
        handshake: HandshakeKind::Plain,
        split_tcp,
        explicit,
        winf,
        idle_gap,
        nodes,
        flows,
        traffic: None,
        warnings: Vec::new(),
    };
    match resolved.ways(top.seed) {
        Ok(ways) => resolved.positions = ways.iter().map(Trajectory::start).collect(),
        Err(PlacementError::Mobility(error)) => movement::refuse(reader, tree.get("mobility"), error),
        Err(PlacementError::Unconnected(error)) => {
            let key = "topology.connected".to_owned();
            let table = tree.get("topology");
            let origin = table.and_then(|table| table.get("connected")).or(table);
            let origin = origin.map_or(Origin::Nowhere, |node| node.origin.clone());
            let hint = Some("more nodes, a smaller topology.area or a longer radio.reach".to_owned());
            let message = format!("{key}: {error}");
            reader.refuse(&origin, Trouble { key, message, hint, ..Trouble::default() });
            return None;
        }
    }
    if let Some((table, config)) = traffic {
        let graph = || connectivity::graph(&resolved.positions, &resolved.radio, |node| resolved.tx_power_of(node));
        let (nodes, first) = (resolved.positions.len() as u32, resolved.flows.len());
        let walkers = resolved.topology.walkers;
        let controller = traffic::controller(reader, table, &config);
        let (end, own) = (resolved.end(), controller.clone());
        let ground = traffic::Ground { nodes, walkers, seed: top.seed, first, end, controller: own, graph };
        let flows = traffic::draw(reader, table, &config, ground);
        resolved.flows.extend(flows);
        resolved.traffic = config.file.is_none().then_some(DrawnTraffic { config, first, controller });
    }
    flow::check_starts(reader, &tree, &resolved.flows, resolved.end());
    let own = resolved.flows.iter().map(|flow| flow.scheme.nodes.handshake).find(|&kind| kind != HandshakeKind::Plain);
    resolved.handshake = own.unwrap_or(HandshakeKind::Plain);
    reader.troubles.is_empty().then_some(resolved)
}

/// The tree of a scenario with what was set on top, if it is TOML of a decent length.
pub(crate) fn tree_of(source: &Source<'_>) -> Option<Node> {
    if is_too_long(source) {
        return None;
    }
    let mut tree = tree::parse(source).ok()?;
    aliases::apply(&mut tree, source, ALIASES, |_, _| {}, |_| {});
    Some(tree)
}

fn is_too_long(source: &Source<'_>) -> bool {
    length(source) > MAX_TEXT
}

fn length(source: &Source<'_>) -> usize {
    source.text.len() + source.overrides.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>()
}

/// Tables of protocols with explicit feedback.
fn read_explicit(reader: &mut Reader<'_>, tree: &Node) -> ExplicitConfig {
    fn table<T: Default + Serialize + DeserializeOwned>(reader: &mut Reader<'_>, tree: &Node, key: &str) -> T {
        reader.overlay(tree.get(key), key, root().table(key), T::default())
    }
    ExplicitConfig {
        muzha: table(reader, tree, "muzha"),
        xcp: table(reader, tree, "xcp"),
        xcp_b: table(reader, tree, "xcp_b"),
        xcp_winf: table(reader, tree, "xcp_winf"),
        rcp: table(reader, tree, "rcp"),
        rcp_winf: table(reader, tree, "rcp_winf"),
    }
}

fn read_top(reader: &mut Reader<'_>, tree: &Node) -> Top {
    let fields = root();
    let default = Top {
        name: None,
        profile: Profile::default(),
        duration: crate::scenario::schema::file::default_duration(),
        warmup: Span::ZERO,
        progress: None,
        seed: crate::scenario::schema::file::default_seed(),
    };
    // Tables are read one by one.
    let is_plain = |key: &str| !matches!(fields.get(key), Some(Shape::Table(_) | Shape::List(..)));
    reader.overlay_entries(tree.entries().iter().filter(|entry| is_plain(&entry.key)), "", fields, default)
}

/// Whether a part follows ns-2: by its own `profile`, or else by that of the scenario.
fn is_ns2(section: Section<'_>, profile: Profile) -> bool {
    match section.given("profile").map(|node| &node.value) {
        Some(Value::Text(own)) => own.starts_with("ns2"),
        _ => profile == Profile::Ns2,
    }
}

/// Where the defaults of Semi-TCP come from.
fn preset(section: Section<'_>) -> SemiTcpPreset {
    match section.given("preset").map(|node| &node.value) {
        Some(Value::Text(name)) if name == "cai2013" => SemiTcpPreset::Cai2013,
        _ => SemiTcpPreset::Paper,
    }
}

fn check_times(reader: &mut Reader<'_>, tree: &Node, top: &Top) {
    let section = Section { key: "", table: Some(tree) };
    section.rule(reader, "duration", top.duration > Span::ZERO, "is no time", "a time above 0 s");
    if top.duration > Span::ZERO {
        let holds = top.progress.is_none_or(|interval| interval >= Span::from_millis(1) && interval <= top.duration);
        section.rule(reader, "progress", holds, "is out of range", "1 ms to the duration of the run");
        let key = if section.given("warmup").is_some() { "warmup" } else { "duration" };
        let what = "leaves nothing to measure";
        let expected = format!(
            "a warm-up shorter than the duration, {}",
            crate::scenario::syntax::quantity::Quantity::write(&top.duration)
        );
        section.rule(reader, key, top.warmup < top.duration, what, &expected);
    }
}

/// A file's name without folders and its last ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rfind('.') {
        Some(0) | None => name,
        Some(at) => &name[..at],
    }
}
