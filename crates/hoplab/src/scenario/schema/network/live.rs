//! Table `[live]`: nodes where packets of real programs enter and leave the network, and packets that a file repeats.

use crate::kernel::{NodeId, Time};
use crate::packet::live::ethernet;
use crate::packet::{LiveDevice, LiveHeader, Recorded, check_target};
use crate::scenario::schema::reader::{Reader, message};
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, exceeds, no_such_node, not_supported_with};
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::Node;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Table `[live]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LiveConfig {
    /// Nodes with a device; a negative number counts from the topology's last node. Default: all, up to 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<i64>>,
    /// `tun`: IPv4 packets, which the scenario's routing carries; relays are simulated. `tap`: Ethernet frames to neighbors;
    /// hosts resolve addresses and route.
    pub device: LiveDevice,
    /// Whether devices have IPv6, which routing daemons such as babeld need. Only with `tap`.
    pub ipv6: bool,
    /// Whether hosts forward packets of others. Only with `tap`.
    pub forward: bool,
    /// Longest IP packet of a device, in bytes.
    #[schemars(range(min = 576, max = 2296))]
    pub mtu: u32,
    /// Packets that enter the network at recorded times, as `hoplab live` writes them: one per line, with the time in
    /// nanoseconds, the node, the length in bytes, and the first bytes in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Table `[live]`, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSettings {
    /// The table as written.
    pub config: LiveConfig,
    /// Nodes with a device, in order.
    pub ports: Vec<NodeId>,
    /// Longest IP packet, in bytes.
    pub mtu: u32,
    /// Devices of the nodes.
    pub device: LiveDevice,
    /// BLAKE3 of the file, in hexadecimal digits.
    pub(crate) digest: Option<String>,
    recorded: Arc<[Recorded]>,
}

/// Most nodes with a device: each needs a namespace and a device of the operating system.
const MAX_PORTS: usize = 256;

/// Payload of a MAC frame (IEEE 802.11-1999 section 6.2.1.1.2) without LLC and SNAP headers (RFC 1042).
const MTUS: std::ops::RangeInclusive<u32> = 576..=2296;

impl Default for LiveConfig {
    fn default() -> Self {
        LiveConfig { nodes: None, device: LiveDevice::Tun, ipv6: false, forward: false, mtu: 1500, file: None }
    }
}

impl LiveSettings {
    /// Packets that the file repeats.
    pub fn recorded(&self) -> Arc<[Recorded]> {
        Arc::clone(&self.recorded)
    }

    /// All pairs of nodes with a device, between which routing carries packets.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let ports = if self.device == LiveDevice::Tun { self.ports.as_slice() } else { &[] };
        ports.iter().enumerate().flat_map(move |(i, &a)| ports[i + 1..].iter().map(move |&b| (a, b)))
    }
}

/// The table, if there is one. `nodes` is the number of nodes with a radio; `None` if it is unknown, which is reported
/// elsewhere.
pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node, nodes: Option<u64>) -> Option<LiveSettings> {
    let table = tree.get("live")?;
    let before = reader.diagnostics.len();
    let fields = reader.root.table("live");
    let config: LiveConfig = reader.overlay(Some(table), "live", fields, LiveConfig::default());
    let section = Section { key: "live", table: Some(table) };
    section.rule(reader, "mtu", MTUS.contains(&config.mtu), OUT_OF_RANGE, "576 to 2296 bytes");
    let what = not_supported_with("[[wire]]");
    section.rule(reader, "nodes", tree.get("wire").is_none(), &what, "a scenario without wires");
    for (key, is_set) in [("ipv6", config.ipv6), ("forward", config.forward)] {
        let holds = !is_set || config.device == LiveDevice::Tap;
        section.rule(reader, key, holds, &not_supported_with("live.device = \"tun\""), "device = \"tap\"");
    }
    let nodes = nodes?;
    let ports = ports(reader, section, &config, nodes);
    let mut settings =
        LiveSettings { ports, mtu: config.mtu, device: config.device, digest: None, recorded: Arc::from([]), config };
    if reader.diagnostics.len() == before {
        read_file(reader, section, &mut settings);
    }
    (reader.diagnostics.len() == before).then_some(settings)
}

fn ports(reader: &mut Reader<'_>, section: Section<'_>, config: &LiveConfig, nodes: u64) -> Vec<NodeId> {
    let Some(listed) = &config.nodes else {
        let what = exceeds("number of nodes", nodes, "limit of [live]", MAX_PORTS);
        section.rule(
            reader,
            "nodes",
            nodes <= MAX_PORTS as u64,
            &what,
            &format!("a list of at most {MAX_PORTS} nodes"),
        );
        return (0..nodes.min(MAX_PORTS as u64) as u32).map(NodeId).collect();
    };
    let mut ports = BTreeSet::new();
    for &number in listed {
        let node = if number < 0 { number.checked_add_unsigned(nodes) } else { Some(number) };
        match node.and_then(|node| u64::try_from(node).ok()).filter(|node| *node < nodes) {
            Some(node) => {
                ports.insert(NodeId(node as u32));
            }
            None => section.rule(reader, "nodes", false, &no_such_node(number), &format!("-{nodes} to {}", nodes - 1)),
        }
    }
    let holds = (1..=MAX_PORTS).contains(&ports.len());
    section.rule(reader, "nodes", holds, OUT_OF_RANGE, &format!("1 to {MAX_PORTS} nodes"));
    ports.into_iter().collect()
}

fn read_file(reader: &mut Reader<'_>, section: Section<'_>, settings: &mut LiveSettings) {
    let Some(name) = settings.config.file.clone() else { return };
    match reader.file(&name) {
        Ok((path, text)) => match parse(text, settings) {
            Ok(recorded) => {
                settings.recorded = recorded.into();
                settings.digest = Some(blake3::hash(text.as_bytes()).to_hex().to_string());
            }
            Err((line, what)) => {
                let key = "live.file".to_owned();
                let message = message(&key, &what, None);
                let line_text = text.lines().nth(line as usize - 1).map(|text| text.chars().take(80).collect());
                let origin = Origin::Beside { path: path.into(), line: Some(line), text: line_text };
                let expected = "TIME_NS NODE BYTES HEX, as hoplab live writes it".to_owned();
                reader.refuse(&origin, RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
            }
        },
        Err(what) => {
            section.rule(reader, "file", false, &what, "path of a file of recorded packets, relative to the scenario");
        }
    }
}

/// The packets of a file; or the line that is wrong, and the problem.
fn parse(text: &str, settings: &LiveSettings) -> Result<Vec<Recorded>, (u32, String)> {
    let mut packets: Vec<Recorded> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let packet = packet(line, settings).map_err(|what| (number, what))?;
        if packets.last().is_some_and(|before| before.at > packet.at) {
            return Err((number, "time is before that of the previous packet".to_owned()));
        }
        packets.push(packet);
    }
    Ok(packets)
}

fn packet(line: &str, settings: &LiveSettings) -> Result<Recorded, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [at, node, len, digits] = fields[..] else { return Err(format!("{} fields instead of 4", fields.len())) };
    let number = |text: &str, name: &str| text.parse::<u64>().map_err(|_| format!("{name} {text:?} is not a number"));
    let (at, len) = (number(at, "time")?, number(len, "length")?);
    let node = u32::try_from(number(node, "node")?).unwrap_or(u32::MAX);
    let is_port = |node: NodeId| settings.ports.binary_search(&node).is_ok();
    if !is_port(NodeId(node)) {
        return Err(format!("node {node} is not in live.nodes"));
    }
    let skipped = if settings.device == LiveDevice::Tap { ethernet::ETHERNET_BYTES as u64 } else { 0 };
    if len.saturating_sub(skipped) > u64::from(settings.mtu) {
        return Err(exceeds("length", len, "live.mtu", settings.mtu));
    }
    let head =
        bytes(digits).filter(|head| head.len() as u64 <= len).ok_or("bytes are no hexadecimal digits, or too many")?;
    let read = if settings.device == LiveDevice::Tap { ethernet::read } else { LiveHeader::read };
    let header = read(&head, len as usize)
        .and_then(|header| check_target(NodeId(node), header.to).map(|()| header))
        .map_err(|refusal| format!("packet is not accepted: {}", refusal.name()))?;
    if !header.to.is_broadcast() && !is_port(header.to) {
        return Err(format!("destination node {} is not in live.nodes", header.to.0));
    }
    Ok(Recorded { at: Time(at), node: NodeId(node), len: len as u32, head: head.into() })
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)).try_fold(
        Vec::new(),
        |mut all, pair| {
            all.push(u8::from_str_radix(pair?, 16).ok()?);
            Some(all)
        },
    )
}

#[cfg(test)]
mod tests {
    use crate::kernel::NodeId;
    use crate::scenario::{NamedFile, Resolved};

    const CHAIN: &str = "[topology]\nkind = \"chain\"\nhops = 3\n[live]\n";

    /// A packet from node 0 to node 3, of 28 bytes.
    const HEAD: &str = "4500001c0000000040110000 0a000001 0a000004 00070007 00080000";

    fn parse(keys: &str, record: &str) -> Result<Resolved, String> {
        let name = "packets.txt".to_owned();
        let files = [NamedFile { path: name.clone(), name, text: Ok(record.to_owned()) }];
        Resolved::parse_with(&format!("{CHAIN}{keys}"), "p.toml", &[], &files).map_err(|error| error.to_string())
    }

    fn of_line(line: &str) -> String {
        let record = format!("# comment\n\n{line}\n");
        parse("nodes = [0, 3]\nfile = \"packets.txt\"", &record).map_or_else(|error| error, |_| String::new())
    }

    fn line(at: &str, node: &str, len: &str) -> String {
        format!("{at} {node} {len} {}", HEAD.replace(' ', ""))
    }

    #[test]
    fn nodes_count_from_both_ends() {
        let ports = |keys: &str| parse(keys, "").map(|found| found.live.map(|live| live.ports));
        let some = |nodes: &[u32]| Ok(Some(nodes.iter().copied().map(NodeId).collect()));
        assert_eq!(ports(""), some(&[0, 1, 2, 3]));
        assert_eq!(ports("nodes = [-1, 0, 3]"), some(&[0, 3]));
        for outside in ["4", "-5"] {
            let wrong = ports(&format!("nodes = [{outside}]")).expect_err("no such node");
            assert!(wrong.contains(&format!("live.nodes: node {outside} does not exist")), "{wrong}");
        }
        assert!(ports("nodes = []").is_err_and(|error| error.contains("1 to 256 nodes")));
    }

    #[test]
    fn other_bad_values_have_an_expectation() {
        let error =
            |text: &str| Resolved::parse(text, "p.toml", &[]).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(error(&format!("{CHAIN}mtu = 575")).contains("live.mtu: 575 is out of range"));
        let wired = "[[node]]\nkind = \"host\"\nname = \"h\"\n[[wire]]\nfrom = \"h\"\nto = 0\nrate = \"1 Mb/s\"\n";
        assert!(error(&format!("{CHAIN}nodes = [0]\n{wired}")).contains("live.nodes: not supported with [[wire]]"));
        let large = CHAIN.replace("hops = 3", "hops = 300");
        assert!(error(&large).contains("number of nodes (301) exceeds limit of [live] (256)"));
    }

    #[test]
    fn recorded_packets_are_checked_line_by_line() {
        assert_eq!(of_line(&line("5", "0", "28")), "");
        let wrong = [
            ("5 0 28".to_owned(), "3 fields instead of 4"),
            (line("x", "0", "28"), "time \"x\" is not a number"),
            (line("5", "1", "28"), "node 1 is not in live.nodes"),
            (line("5", "3", "28"), "packet is not accepted: to_itself"),
            (line("5", "0", "29"), "packet is not accepted: bad_header"),
            (line("5", "0", "2000"), "length (2000) exceeds live.mtu (1500)"),
            (format!("5 0 28 {}", "zz".repeat(20)), "bytes are no hexadecimal digits"),
            (line("5", "0", "28").replace("0a000004", "0a000002"), "destination node 1 is not in live.nodes"),
            (
                format!("{}\n{}", line("5", "0", "28"), line("4", "0", "28")),
                "time is before that of the previous packet",
            ),
        ];
        for (line, what) in wrong {
            let error = of_line(&line);
            assert!(error.contains(what) && error.contains("packets.txt:"), "{line}: {error}");
        }
    }

    #[test]
    fn identity_contains_the_packets_and_not_their_file() {
        let canonical = |record: &str| parse("file = \"packets.txt\"", record).map(|found| found.canonical());
        let (one, two) = (canonical(&line("5", "0", "28")), canonical(&line("6", "0", "28")));
        assert_ne!(one, two);
        assert!(one.is_ok_and(|text| !text.contains("packets.txt") && text.contains("file_blake3")));
        let toml = parse("file = \"packets.txt\"", &line("5", "0", "28")).map(|found| found.to_toml());
        assert!(toml.is_ok_and(|text| text.contains("mtu = 1500\nfile = \"packets.txt\"")));
    }
}
