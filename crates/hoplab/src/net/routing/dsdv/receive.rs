//! What a node makes of its neighbors' updates, and of their silence.

use super::message::Advert;
use super::table::{INFINITY, Offer, Verdict};
use super::{Dsdv, RouteCtx, SILENT};
use crate::kernel::{NodeId, Time};

impl Dsdv {
    /// A neighbor says what it can reach.
    pub(super) fn on_update(&mut self, cx: &mut RouteCtx<'_>, adverts: &[Advert], from: NodeId) {
        let silent_from = cx.ctx.now + self.constants.neighbor_timeout;
        let is_watched = self.table.extend_watch(from, silent_from);
        for advert in adverts {
            let hops = if advert.hops == INFINITY { INFINITY } else { advert.hops + 1 };
            let offer = Offer { dst: advert.dst, from, seq: advert.seq, hops };
            if advert.dst == self.node {
                if advert.hops == INFINITY {
                    self.contradict(cx);
                }
            } else if !self.table.refuses(offer) {
                self.on_offer(cx, offer);
            }
        }
        if !is_watched {
            self.watch(cx, from, silent_from);
        }
    }

    #[inline(never)]
    fn on_offer(&mut self, cx: &mut RouteCtx<'_>, offer: Offer) {
        let now = cx.ctx.now;
        let Offer { dst, from, .. } = offer;
        let outcome = self.table.consider(offer, now, &self.constants);
        match outcome.verdict {
            Verdict::Refused => return,
            Verdict::Outdated => {
                self.table.set_news(dst, now);
                self.trigger(cx, dst, now);
                return;
            }
            Verdict::TakenAsNews => self.trigger(cx, dst, self.table[dst].tell_from),
            Verdict::Taken => {}
        }
        if !outcome.has_route {
            if outcome.before.is_some() {
                cx.ctx.route_lost(self.node, dst);
            }
            return;
        }
        if outcome.before != Some(from) {
            cx.ctx.route_changed(self.node, dst, from);
        }
        self.flush(cx, dst);
    }

    /// A neighbor has been heard that was not under watch: from now on its silence counts.
    fn watch(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId, silent_from: Time) {
        if self.table.add(Offer::neighbor(neighbor), cx.ctx.now, &self.constants) {
            cx.ctx.route_changed(self.node, neighbor, neighbor);
        }
        self.table.begin_watch(neighbor, silent_from);
        self.wake_at(cx, silent_from, neighbor);
    }

    /// Looks after a neighbor then.
    fn wake_at(&mut self, cx: &mut RouteCtx<'_>, at: Time, neighbor: NodeId) {
        let timer = self.schedule(cx, at, SILENT, neighbor);
        self.table.set_watch(neighbor, timer);
    }

    /// A neighbor may have been silent for too long.
    pub(super) fn on_silence(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        let until = self.table.silent_from(neighbor);
        if cx.ctx.now < until {
            self.wake_at(cx, until, neighbor);
        } else {
            self.table.end_watch(neighbor);
            self.lose_neighbor(cx, neighbor);
        }
    }

    /// The MAC could not reach a neighbor (`dsdv_use_mac`).
    pub(super) fn on_broken_link(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        if self.table.get(neighbor).is_some()
            && let Some(timer) = self.table.end_watch(neighbor)
        {
            cx.ctx.events.cancel(timer);
        }
        self.lose_neighbor(cx, neighbor);
    }

    /// Gives up all routes through a neighbor; other neighbors are told at once.
    fn lose_neighbor(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        let now = cx.ctx.now;
        for dst in self.table.through(neighbor) {
            self.table.break_route(dst, now);
            self.trigger(cx, dst, now);
            cx.ctx.route_lost(self.node, dst);
        }
    }
}
