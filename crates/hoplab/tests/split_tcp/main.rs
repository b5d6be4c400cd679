//! Split TCP over whole networks: what proxies do, and that no byte is lost whatever happens to them.

use hoplab::kernel::{FlowId, NodeId, Time};
use hoplab::scenario::Resolved;
use hoplab::trace::{Record, What};
use hoplab::transport::proxy::split_tcp::stream_digest;
use hoplab::transport::proxy::{Proxy, ProxyCounts};
use hoplab::world::World;

fn world(text: &str, seed: u64) -> World {
    let resolved = Resolved::parse(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    World::new(&resolved, seed)
}

fn run(world: &mut World, until: f64) {
    world.run_until(Time::from_secs(until)).and_then(|()| world.audit()).unwrap_or_else(|error| panic!("{error}"));
}

/// A chain of this many hops with one flow from end to end.
fn chain(hops: u32, seconds: u32, more: &str) -> String {
    format!(
        "duration = \"{seconds} s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n\
         [routing]\nprotocol = \"static\"\n{more}\n[[flow]]\ntransport = \"split_tcp\"\nwindow = 32\n"
    )
}

fn count(world: &World, node: u32) -> ProxyCounts {
    world.proxy(NodeId(node)).expect("a proxy").counts()
}

/// The stream that has been delivered is the one that was sent.
fn assert_stream(world: &World, flow: u32) -> i64 {
    let (_, sink) = world.connection(FlowId(flow)).split_ends().expect("a flow of split_tcp");
    assert_eq!(sink.digest(), stream_digest(FlowId(flow), sink.rcv_nxt()), "flow {flow}, {}", sink.rcv_nxt());
    sink.rcv_nxt()
}

#[test]
fn look() {
    for hops in [2, 3, 4, 6, 8, 9, 12, 14] {
        for seed in 1..=2 {
            let mut world = world(&chain(hops, 100, ""), seed);
            run(&mut world, 100.0);
            let got = assert_stream(&world, 0);
            let (source, sink) = world.connection(FlowId(0)).split_ends().unwrap();
            eprintln!(
                "{hops} hops: {} kb/s  {:?} {:?} cwnd {}",
                got * 1460 * 8 / 100_000,
                source.counts(),
                sink.counts(),
                source.cwnd()
            );
            for (node, proxy) in world.proxies() {
                if proxy.counts() != ProxyCounts::default() {
                    eprintln!("   {node} {:?}", proxy.counts());
                }
            }
        }
    }
}
