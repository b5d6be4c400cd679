//! Random networks with Semi-TCP: nothing stalls, nothing is lost unaccounted, and no queue exceeds its bound.

use crate::kernel::{Purpose, RadioId, RandomStreams, Time};
use crate::scenario::{PathFact, Resolved};
use crate::world::World;

/// A random connected network with Semi-TCP; the number replays it.
fn random(number: u64, is_pure: bool) -> String {
    let mut stream = RandomStreams::new(number).stream(Purpose::Traffic, 99);
    let mut pick = |choices: &[&str]| choices[stream.below(choices.len() as u32) as usize].to_string();
    let kind = pick(&["chain", "grid", "parallel", "spindle", "cross"]);
    let size = match kind.as_str() {
        "grid" => format!("rows = {}\ncolumns = {}", pick(&["2", "3"]), pick(&["2", "4"])),
        _ => format!("hops = {}", pick(&["1", "2", "3", "5", "8"])),
    };
    let preset = if is_pure { "paper".to_owned() } else { pick(&["paper", "cai2013"]) };
    let rules = format!(
        "preset = \"{preset}\"\nt_c = {}\nm = {}\ng = {}\nk = {}\nooo_ack = \"{}\"\nsource_fill = \"{}\"",
        pick(&["1", "1", "2", "4"]),
        pick(&["1", "1", "3"]),
        pick(&["1", "2"]),
        pick(&["1", "2", "3"]),
        pick(&["none", "single", "dupack"]),
        pick(&["pull_when_empty", "fill_to_tc"]),
    );
    let protocol = pick(&["static", "aodv", "dsdv"]);
    let feedback = pick(&["true", "false"]);
    let mac = format!("profile = \"{}\"\nssrl = {}", pick(&["ns2", "ns2", "std"]), pick(&["1", "4", "7", "9", "20"]));
    let arp = pick(&["true", "false"]);
    let mut text = format!(
        "duration = \"10 s\"\n[topology]\nkind = \"{kind}\"\n{size}\n[routing]\nprotocol = \"{protocol}\"\n\
         link_failure_feedback = {feedback}\n[mac]\n{mac}\n[link]\narp = {arp}\n[semi_tcp]\n{rules}\n"
    );
    if !is_pure && pick(&["yes", "no"]) == "yes" {
        text += "[[node]]\nid = 1\nhandshake = \"plain\"\n[[node]]\nid = 0\nhandshake = \"plain\"\n";
    }
    for flow in 0..if kind == "chain" { 2 } else { 3 } {
        let transport =
            if is_pure || flow == 0 { "semi_tcp".to_owned() } else { pick(&["semi_tcp", "new_reno", "udp"]) };
        let app = if transport == "udp" { "app = \"cbr\"\nrate = \"100 kb/s\"\n" } else { "" };
        let ends = if flow % 2 == 0 { "from = \"first\"\nto = \"last\"" } else { "from = \"last\"\nto = \"first\"" };
        let start = if protocol == "dsdv" { "5 s" } else { "0.5 s" };
        text += &format!("[[flow]]\n{ends}\ntransport = \"{transport}\"\nsegment = 512\nstart = \"{start}\"\n{app}");
    }
    text
}

#[test]
fn random_networks_conserve_packets_and_never_stall() {
    let mut delivered = 0;
    for number in 0..80 {
        let text = random(number, false);
        let scenario = Resolved::parse(&text, "random.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if scenario.facts().flows.iter().any(|(_, path)| *path == PathFact::None) {
            continue;
        }
        let mut world = World::new(&scenario, number);
        for tenth in 1..=100 {
            let outcome = world.run_until(Time::from_secs(f64::from(tenth) * 0.1)).and_then(|()| world.audit());
            assert!(outcome.is_ok(), "network {number}: {outcome:?}\n{text}");
            world.assert_no_source_stalled(scenario.semi_tcp.pull().max_outstanding, number, &text);
        }
        delivered += world.ctx().trace.counters.classes().iter().skip(1).map(|life| life.delivered).sum::<u64>();
    }
    assert!(delivered > 10_000, "the networks carry traffic: {delivered} packets delivered");
}

#[test]
fn paper_preset_bounds_queue_by_reserved_room() {
    for number in 0..40 {
        let text = random(number, true);
        let scenario = Resolved::parse(&text, "random.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let rules = &scenario.semi_tcp;
        let limit = rules.t_c + rules.m + rules.g;
        let mut world = World::new(&scenario, number);
        let until = Time::from_secs(6.0);
        while !world.advance(until, 1).expect("a run without error") {
            for node in 0..world.nets.len() {
                let backlog = world.nets[node].backlog(&world.ctx, RadioId(node as u32));
                let held = backlog.data + u32::from(world.macs[node].holds_data());
                assert!(held <= limit, "network {number}, node {node}: {held} packets at {}\n{text}", world.now());
            }
        }
    }
}

impl World {
    /// Checks that every node with a free slot has offered it: no pulled source with data, and no pending acknowledgment, waits
    /// at an idle node. A parked packet has a timer, a contending packet a backoff.
    pub(super) fn assert_no_source_stalled(&mut self, limit: u32, number: u64, text: &str) {
        for flow in 0..self.flows.len() {
            let ends = &self.flows[flow];
            let has_started = ends.connection.meter().total().sent > 0;
            // A source at its limit of outstanding segments has nothing to send.
            let is_full = ends.connection.sender().is_some_and(|sender| sender.tcb().in_flight() >= limit);
            if !ends.connection.is_pulled() || !has_started || is_full {
                continue;
            }
            let node = ends.src.index();
            let backlog = self.nets[node].backlog(&self.ctx, self.ctx.radios.first(ends.src));
            let is_slot = self.nets[node].link.admission.is_slot(&backlog, self.macs[node].holds_data(), false);
            // Packets that wait for a route are followed by more, one per event.
            assert!(
                !is_slot || backlog.waiting > 0,
                "network {number}: the source of flow {flow} is stalled at {}\n{text}",
                self.now()
            );
        }
    }
}
