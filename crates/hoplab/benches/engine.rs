//! Benchmarks of the engine's parts: `cargo bench -p hoplab`, or `cargo bench -p hoplab -- NAME` for some of them.
//!
//! For work on one part: what an edit changes shows in seconds. Whole scenarios beside ns-2 and ns-3 are `make bench`; counts
//! of instructions, which do not depend on the machine's load, are `make instructions`.

use divan::{Bencher, black_box, counter::ItemsCount};
use hoplab::kernel::{EventQueue, Purpose, RandomStreams, Span, Time};
use hoplab::scenario::Resolved;
use hoplab::world::World;

fn main() {
    divan::main();
}

/// The hold model (Jones 1986): the earliest of `pending` events is taken, and one scheduled up to 1 ms later.
#[divan::bench(args = [10, 100, 1_000, 10_000])]
fn event_queue(bencher: Bencher<'_, '_>, pending: u64) {
    const HOLDS: u64 = 10_000;
    let mut stream = RandomStreams::new(1).stream(Purpose::Backoff, 0);
    let mut delay = move || Span(u64::from(1 + stream.below(1_000_000)));
    let mut queue = EventQueue::<u64>::default();
    for event in 0..pending {
        queue.schedule(Time::ZERO + delay(), event);
    }
    bencher.counter(ItemsCount::new(HOLDS)).bench_local(|| {
        for _ in 0..HOLDS {
            let Some((key, event)) = queue.pop() else { unreachable!("every event taken is replaced") };
            queue.schedule(key.time() + delay(), black_box(event));
        }
    });
}

/// Reading and checking a scenario, as each seed of a batch that draws positions does.
#[divan::bench]
fn scenario(bencher: Bencher<'_, '_>) {
    let text = chain(8, "aodv", 10);
    bencher.bench(|| Resolved::parse(black_box(&text), "bench.toml", &[]));
}

/// A chain with one TCP flow: MAC and transport, few receivers per frame.
#[divan::bench(args = [1, 4, 16], sample_count = 10)]
fn tcp_over_hops(bencher: Bencher<'_, '_>, hops: u32) {
    run(bencher, &chain(hops, "static", 10));
}

/// A grid with a flow per row: collisions, and some thirty receivers per frame.
#[divan::bench(args = [6, 12], sample_count = 10)]
fn grid(bencher: Bencher<'_, '_>, rows: u32) {
    let flows: Vec<String> = (0..rows)
        .map(|row| {
            format!("[[flow]]\nfrom = {}\nto = {}\ntransport = \"new_reno\"\n", row * rows, row * rows + rows - 1)
        })
        .collect();
    run(
        bencher,
        &format!(
            "duration = \"5 s\"\n[topology]\nkind = \"grid\"\nrows = {rows}\ncolumns = {rows}\nspacing = \"200 m\"\n{}",
            flows.concat()
        ),
    );
}

fn chain(hops: u32, routing: &str, seconds: u32) -> String {
    format!(
        "duration = \"{seconds} s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[routing]\nprotocol = \"{routing}\"\n\
         [[flow]]\nfrom = 0\nto = {hops}\ntransport = \"new_reno\"\n"
    )
}

fn run(bencher: Bencher<'_, '_>, text: &str) {
    let scenario = Resolved::parse(text, "bench.toml", &[]).expect("the benchmark's own scenario is valid");
    bencher.bench(|| {
        let mut world = World::build(&scenario, scenario.seed).expect("a valid scenario makes a world");
        world.run_until(scenario.end()).expect("a run without limits ends");
        world
    });
}
