//! Updates of neighbors, and neighbors whose updates stop (Perkins and Bhagwat 1994; ns-2's `processUpdate`).

use super::agent::{Dsdv, SILENT};
use super::entry::{INFINITY, Offer};
use super::message::Advert;
use super::table::Verdict;
use crate::kernel::{NodeId, Time};
use crate::net::routing::protocol::RouteCtx;

impl Dsdv {
    /// An update of a neighbor has arrived.
    pub(super) fn on_update(&mut self, cx: &mut RouteCtx<'_>, adverts: &[Advert], from: NodeId) {
        let silent_from = cx.now() + self.config.neighbor_timeout();
        let is_watched = self.table.extend_watch(from, silent_from);
        for advert in adverts {
            let hops = if advert.hops == INFINITY { INFINITY } else { advert.hops + 1 };
            let offer = Offer { dst: advert.dst, from, seq: advert.seq, hops };
            if advert.dst == self.node || self.hosts.contains(&advert.dst) {
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
        let now = cx.now();
        let Offer { dst, from, .. } = offer;
        let outcome = self.table.consider(offer, now, &self.config);
        match outcome.verdict {
            Verdict::Refused => return,
            Verdict::Outdated => {
                self.table.set_changed(dst, now);
                self.trigger(cx, dst, now);
                return;
            }
            Verdict::AcceptedAndTriggers => self.trigger(cx, dst, self.table[dst].advertised_from),
            Verdict::Accepted => {}
        }
        if !outcome.has_route {
            if outcome.before.is_some() {
                cx.route_lost(dst);
            }
            return;
        }
        if outcome.before != Some(from) {
            cx.route_changed(dst, from);
        }
        self.flush(cx, dst);
    }

    /// Starts the timeout of a neighbor.
    fn watch(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId, silent_from: Time) {
        if self.table.add(Offer::neighbor(neighbor), cx.now(), &self.config) {
            cx.route_changed(neighbor, neighbor);
        }
        self.table.begin_watch(neighbor, silent_from);
        self.set_silence_timer(cx, silent_from, neighbor);
    }

    fn set_silence_timer(&mut self, cx: &mut RouteCtx<'_>, at: Time, neighbor: NodeId) {
        let timer = cx.set_timer(at, SILENT, neighbor);
        self.table.set_watch(neighbor, timer);
    }

    /// A neighbor is lost, unless an update has arrived since its timer was set.
    pub(super) fn on_silence(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        let until = self.table.silent_from(neighbor);
        if cx.now() < until {
            self.set_silence_timer(cx, until, neighbor);
        } else {
            self.table.end_watch(neighbor);
            self.lose_neighbor(cx, neighbor);
        }
    }

    /// The MAC could not reach a neighbor (`routing.dsdv.use_mac`).
    pub(super) fn on_broken_link(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        if self.table.get(neighbor).is_some()
            && let Some(timer) = self.table.end_watch(neighbor)
        {
            cx.cancel_timer(timer);
        }
        self.lose_neighbor(cx, neighbor);
    }

    /// Invalidates all routes through a neighbor, and advertises that at once.
    fn lose_neighbor(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId) {
        let now = cx.now();
        for dst in self.table.through(neighbor) {
            self.table.break_route(dst, now);
            self.trigger(cx, dst, now);
            cx.route_lost(dst);
        }
    }
}
