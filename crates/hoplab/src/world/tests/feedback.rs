//! Explicit feedback in a run: sender, routers, receiver, acknowledgment, and its bytes on the air.

use crate::kernel::{NodeId, RadioId, Time};
use crate::mac::observer::{Busy, Observer};
use crate::net::explicit_feedback::{At, FeedbackCtx, FeedbackRouter, Lost, PacketKind, PacketView};
use crate::packet::Ack;
use crate::packet::explicit::{Echo, Feedback};
use crate::scenario::Resolved;
use crate::trace::What;
use crate::transport::congestion::{
    CongestionControl, Controller, CrossLayer, FeedbackNeeds, HeaderBytes, Loss, Needs, NewAck, Sending,
};
use crate::world::World;
use std::sync::{Arc, Mutex};

/// Three segments in flight; requests the minimum level and records the echoes.
#[derive(Debug, Clone, Default)]
struct Requesting {
    echoes: Arc<Mutex<Vec<Echo>>>,
}

impl CongestionControl for Requesting {
    fn cwnd(&self) -> f64 {
        3.0
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.echoes.lock().expect("one thread").push(ack.packet.feedback);
    }

    fn on_dup_ack(&mut self, _now: Time, ack: &Ack) {
        self.echoes.lock().expect("one thread").push(ack.feedback);
    }

    fn on_loss(&mut self, _loss: &Loss) {}

    fn set_cwnd(&mut self, _cwnd: f64) {}

    fn needs(&self) -> Needs {
        let header_bytes = HeaderBytes { segment: 4, ack: 4 };
        Needs { feedback: Some(FeedbackNeeds { header_bytes, ..FeedbackNeeds::default() }), ..Needs::default() }
    }

    fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
        Some(self)
    }
}

impl CrossLayer for Requesting {
    fn stamp(&mut self, _sending: &Sending) -> Feedback {
        Feedback::Mrai(9)
    }
}

/// Lowers levels to its own; counts its calls.
#[derive(Debug, Default)]
struct Level {
    own: u8,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    arrivals: u32,
    departures: u32,
    own_segments: u32,
    timers: Vec<(Time, u8)>,
    lost: u32,
    busy: Option<f64>,
}

impl FeedbackRouter for Level {
    fn start(&mut self, cx: &mut FeedbackCtx<'_>) {
        cx.set_timer(Time(5_000_000_000), 7);
        let never = cx.set_timer(Time(6_000_000_000), 8);
        cx.cancel_timer(never);
    }

    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback) {
        let mut seen = self.seen.lock().expect("one thread");
        match at {
            At::Arrival => seen.arrivals += 1,
            At::Departure => {
                seen.departures += 1;
                seen.own_segments += u32::from(packet.is_own && packet.kind == PacketKind::Segment);
                if let Feedback::Mrai(level) = feedback
                    && packet.kind == PacketKind::Segment
                {
                    *level = self.own.min(*level);
                }
            }
        }
        assert!(cx.queue_bytes() >= 28 * cx.queue_len() as u64);
    }

    fn on_timer(&mut self, cx: &mut FeedbackCtx<'_>, slot: u8) {
        let mut seen = self.seen.lock().expect("one thread");
        seen.timers.push((cx.now, slot));
        seen.busy = cx.hop.busy(cx.now, crate::kernel::Span::from_millis(400));
    }

    fn on_lost(&mut self, _cx: &mut FeedbackCtx<'_>, _lost: Lost) {
        self.seen.lock().expect("one thread").lost += 1;
    }
}

fn chain(hops: u32) -> Resolved {
    let text = format!("duration = \"8 s\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[[flow]]\n");
    Resolved::parse(&text, "chain.toml", &[]).expect("a scenario")
}

#[test]
fn minimum_level_of_path_is_echoed() {
    let scenario = chain(3);
    let mut world = World::new(&scenario, 1);
    let requesting = Requesting::default();
    let sender = world.flows[0].connection.sender_mut().expect("a connection");
    sender.set_controller(Controller::Custom(Box::new(requesting.clone())));
    let seen: Vec<Arc<Mutex<Seen>>> = [5, 3, 4, 1]
        .into_iter()
        .enumerate()
        .map(|(node, own)| {
            let level = Level { own, seen: Arc::default() };
            let seen = Arc::clone(&level.seen);
            world.add_feedback_router(NodeId(node as u32), Box::new(level));
            world.observe(NodeId(node as u32), Observer::Busy(Box::new(Busy::new(RadioId(node as u32)))));
            seen
        })
        .collect();
    // Feedback routers added after the start set their first timers now.
    world.start_added_feedback_routers();
    world.ctx.trace.keep_records();
    world.run_until(scenario.end()).expect("a run");
    let echoes = requesting.echoes.lock().expect("one thread");
    assert!(echoes.len() > 20 && echoes.iter().all(|echo| *echo == Echo::Mrai(3)), "{echoes:?}");
    for (node, seen) in seen.iter().enumerate() {
        let seen = seen.lock().expect("one thread");
        assert_eq!(seen.timers, [(Time(5_000_000_000), 7)]);
        assert!(seen.departures > 20 && seen.arrivals >= seen.departures);
        assert_eq!(seen.own_segments > 0, node == 0);
        // A chain of three hops is rarely idle.
        assert!(seen.busy.is_some_and(|busy| (0.5..1.0).contains(&busy)), "{:?}", seen.busy);
    }
    let records = world.ctx.trace.take_records();
    let data: Vec<u32> = records
        .iter()
        .filter(|record| record.node == NodeId(0))
        .filter_map(|record| match record.what {
            What::Originated { bytes, .. } if bytes > 1000 => Some(bytes),
            _ => None,
        })
        .collect();
    // 1460 bytes of payload, 40 of headers, 4 of option; static routing adds none.
    assert!(data.iter().all(|bytes| *bytes == 1504), "{data:?}");
    let acks = records.iter().filter(|record| record.node == NodeId(3)).filter_map(|record| match record.what {
        What::Originated { bytes, .. } if bytes != 28 => Some(bytes),
        _ => None,
    });
    assert!(acks.into_iter().all(|bytes| bytes == 44));
    let stamped = |node: u32| {
        records.iter().filter(|record| record.node == NodeId(node)).find_map(|record| match record.what {
            What::Stamped { feedback, .. } => Some(feedback),
            _ => None,
        })
    };
    let levels: Vec<_> = (0..4).map(stamped).collect();
    assert_eq!(levels, [Some(Feedback::Mrai(5)), Some(Feedback::Mrai(3)), Some(Feedback::Mrai(3)), None]);
}

#[test]
fn passive_routers_and_observers_change_no_event() {
    let scenario = chain(5);
    let mut plain = World::new(&scenario, 3);
    plain.run_until(scenario.end()).expect("a run");
    let mut observed = World::new(&scenario, 3);
    for node in (0..6).map(NodeId) {
        observed.observe(node, Observer::Busy(Box::new(Busy::new(observed.ctx.radios.first(node)))));
        observed.add_feedback_router(node, Box::new(Level::default()));
    }
    observed.run_until(scenario.end()).expect("a run");
    assert_eq!(plain.ctx.trace.fingerprints(), observed.ctx.trace.fingerprints());
}
