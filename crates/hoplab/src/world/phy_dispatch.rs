//! Between radios and MACs: the bits of frames pass their receivers, and radios are switched.

use super::run::World;
use crate::kernel::{NodeId, Time};
use crate::measure::AccountProbe;
use crate::phy::{ArrivalCursor, NoProbe, PhyIndication, Reception, Switched};
use crate::sim::{Event, PhyTimer};
use crate::trace::{Loss, What};

impl World {
    /// Switches a node's radio; its MAC and everything above go on, and find out by themselves.
    pub(super) fn switch(&mut self, node: NodeId, is_on: bool) {
        self.before_change(node);
        self.ctx.note(node, What::Switched { is_on });
        let switched = self.medium.switch(self.ctx.now, node, is_on);
        let (mac, mut cx) = self.mac(node);
        match switched {
            Switched::Released(frame) => mac.on_frame_end(&mut cx, &frame, Reception::Transmitting),
            Switched::Idle => mac.on_idle(&mut cx),
            Switched::Busy if cx.medium.radio_mut(node).on_carrier(cx.ctx.now) => mac.on_busy(&mut cx),
            Switched::Busy | Switched::Unnoticed => {}
        }
        self.carry_up(node);
    }

    /// Walks the first or last bit of a frame past its receivers.
    pub(super) fn walk(&mut self, id: u32, slot: PhyTimer, until: Time) {
        if self.measures.airtime.is_some() {
            self.walk_booked(id, slot, until);
            return;
        }
        let mut walk = self.medium.begin_walk(id, slot);
        let until = self.medium.horizon(&walk, self.ctx.now, until);
        while let Some((node, told)) = self.medium.pass(&mut self.ctx, &mut walk, until, &mut NoProbe) {
            self.tell(&walk, node, told);
            walk.step();
        }
        let has_company = self.medium.end_walk(&mut self.ctx, &walk, Some(until));
        if has_company {
            self.walk_together(walk, until);
        }
    }

    /// Goes on with a walk of a first bit, and with the one that is next, by turns; each turn counts as the event that it
    /// would be.
    #[inline(never)]
    fn walk_together(&mut self, walk: ArrivalCursor, until: Time) {
        let Some((_, Event::Phy { timer, transmission, .. })) = self.ctx.events.pop() else { return };
        let mut walks = [self.medium.begin_walk(transmission, timer), walk];
        self.events.handled += 1;
        while let Some((node, told)) =
            self.medium.pass_together(&mut self.ctx, &mut walks, until, &mut self.events.handled)
        {
            self.tell(&walks[0], node, told);
            walks[0].step();
        }
        for walk in &walks {
            self.medium.end_walk(&mut self.ctx, walk, None);
        }
    }

    /// The same where nodes' time is accounted for.
    #[inline(never)]
    fn walk_booked(&mut self, id: u32, slot: PhyTimer, until: Time) {
        let mut walk = self.medium.begin_walk(id, slot);
        let until = self.medium.horizon(&walk, self.ctx.now, until);
        while let Some(accounts) = self.measures.airtime.as_deref_mut() {
            let mut books = AccountProbe { accounts, macs: &self.macs };
            let told = self.medium.pass(&mut self.ctx, &mut walk, until, &mut books);
            let Some((node, told)) = told else { break };
            let before = self.medium.radio(node).nav_until;
            self.tell(&walk, node, told);
            if told == PhyIndication::Ignored
                || matches!(told, PhyIndication::RxEnd(reception) if reception != Reception::Clean)
            {
                self.on_unreadable(node, before);
            }
            walk.step();
        }
        self.medium.end_walk(&mut self.ctx, &walk, None);
    }

    /// The end of what a frame has reserved passes the stations that wait for it.
    pub(super) fn release(&mut self, id: u32, slot: PhyTimer, until: Time) {
        while let Some(node) = self.medium.pass_release(&mut self.ctx, id, slot, until) {
            let (mac, mut cx) = self.mac(node);
            mac.on_nav_expired(&mut cx);
            self.carry_up(node);
        }
    }

    /// Tells a node's MAC what a walk has met there.
    fn tell(&mut self, walk: &ArrivalCursor, node: NodeId, told: PhyIndication) {
        if matches!(told, PhyIndication::Missed { .. }) {
            let frame = self.medium.frame(walk);
            self.ctx.trace.frame_lost(self.ctx.now, node, frame.kind, frame.ta, Loss::Busy);
        }
        let (mac, mut cx) = self.mac(node);
        match told {
            PhyIndication::Idle | PhyIndication::Missed { is_quiet: true } => {
                cx.medium.begin_telling(walk);
                mac.on_idle(&mut cx);
                cx.medium.end_telling();
            }
            PhyIndication::Busy => mac.on_busy(&mut cx),
            PhyIndication::Ignored => {
                let frame = cx.medium.frame(walk);
                mac.on_capture(&mut cx, &frame);
            }
            PhyIndication::RxEnd(reception) => {
                let frame = cx.medium.frame(walk);
                cx.medium.begin_telling(walk);
                mac.on_frame_end(&mut cx, &frame, reception);
                cx.medium.end_telling();
                self.carry_up(node);
            }
            PhyIndication::Missed { is_quiet: false } => {}
        }
    }
}
