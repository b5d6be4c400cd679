//! The audit detects each kind of lost or doubled packet; the tests inject them.

use super::AuditError;
use crate::kernel::{RadioId, Time};
use crate::net::link::Discipline;
use crate::packet::PacketId;
use crate::scenario::Resolved;
use crate::sim::Event;
use crate::world::{EngineError, World};

/// A chain with packets in an interface queue.
fn busy() -> (World, PacketId) {
    let text = "duration = \"5 s\"\n[topology]\nkind = \"chain\"\nhops = 3\n[[flow]]\n";
    let scenario = Resolved::parse(text, "audit.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::new(&scenario, 1);
    for step in 1..500 {
        world.run_until(Time(step * 10_000_000)).expect("a run");
        let waiting = world.nets.iter().find(|net| net.link.queue.len() > 1).and_then(|net| net.link.queue.peek());
        if let Some(packet) = waiting {
            world.audit().expect("nothing is wrong yet");
            return (world, packet);
        }
    }
    panic!("no queue has ever held two packets");
}

fn complaint(world: &World) -> String {
    let error = world.audit().expect_err("something is wrong");
    assert!(matches!(error, EngineError::Audit(AuditError::NotConserved { .. })), "{error}");
    error.to_string()
}

#[test]
fn packet_without_origin_is_found() {
    let (mut world, packet) = busy();
    let copy = world.ctx.packet(packet).clone();
    world.ctx.packets.insert(copy);
    assert!(complaint(&world).starts_with("packets are not conserved: class 2: "), "{}", complaint(&world));
}

#[test]
fn packet_removed_without_reason_is_found() {
    let (mut world, packet) = busy();
    world.ctx.packets.remove(packet.0);
    assert!(complaint(&world).starts_with("packets are not conserved: class 2: "), "{}", complaint(&world));
}

#[test]
fn packet_with_two_locations_is_detected() {
    let (mut world, packet) = busy();
    let event = Event::BroadcastEnd { radio: RadioId(0), packet };
    world.ctx.events.schedule(Time(4_000_000_000), event);
    assert!(complaint(&world).ends_with("is in two places"), "{}", complaint(&world));
}

#[test]
fn packet_without_location_is_detected() {
    let (mut world, packet) = busy();
    // Its class remains balanced: a copy without an owner is counted as created.
    let copy = world.ctx.packet(packet).clone();
    let orphan = world.ctx.packets.insert(copy);
    let again = world.ctx.packets.get(orphan).clone();
    world.ctx.trace.counters.life(&again).copied += 1;
    assert!(complaint(&world).ends_with("is in no place"), "{}", complaint(&world));
}
