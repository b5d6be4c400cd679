//! Updates of neighbors, and neighbors whose updates stop (Perkins and Bhagwat 1994; ns-2's `processUpdate`).

use super::agent::{Dsdv, SILENT};
use super::entry::{INFINITY, Offer};
use super::message::Advert;
use super::table::Verdict;
use crate::kernel::{RadioId, Time, TimerId};
use crate::net::routing::protocol::RouteCtx;

impl Dsdv {
    /// An update of radio `from` of a neighbor has arrived.
    pub(super) fn on_update(&mut self, cx: &mut RouteCtx<'_>, adverts: &[Advert], from: RadioId) {
        let silent_from = cx.now() + self.config.neighbor_timeout();
        let is_watched = match cx.ctx.radios.node_of_first(from) {
            Some(neighbor) => self.table.extend_watch(neighbor, silent_from),
            None => self.further_radios.extend(from, silent_from),
        };
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
            cx.route_changed(dst, cx.owner(from));
        }
        self.flush(cx, dst);
    }

    /// Starts the timeout of a radio of a neighbor.
    fn watch(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId, silent_from: Time) {
        let neighbor = cx.owner(radio);
        if self.table.add(Offer::neighbor(neighbor, radio), cx.now(), &self.config) {
            cx.route_changed(neighbor, neighbor);
        }
        if let Some(neighbor) = cx.ctx.radios.node_of_first(radio) {
            self.table.begin_watch(neighbor, silent_from);
        }
        self.set_silence_timer(cx, silent_from, radio);
    }

    fn set_silence_timer(&mut self, cx: &mut RouteCtx<'_>, at: Time, radio: RadioId) {
        let timer = cx.set_radio_timer(at, SILENT, radio);
        match cx.ctx.radios.node_of_first(radio) {
            Some(neighbor) => self.table.set_watch(neighbor, timer),
            None => self.further_radios.set(radio, at, timer),
        }
    }

    /// A radio of a neighbor is lost, unless an update has arrived since its timer was set.
    pub(super) fn on_silence(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId) {
        let until = match cx.ctx.radios.node_of_first(radio) {
            Some(neighbor) => self.table.silent_from(neighbor),
            None => self.further_radios.silent_from(radio),
        };
        if cx.now() < until {
            self.set_silence_timer(cx, until, radio);
        } else {
            self.end_watch(cx, radio);
            self.lose_neighbor(cx, radio);
        }
    }

    /// The MAC could not reach a radio of a neighbor (`routing.dsdv.use_mac`).
    pub(super) fn on_broken_link(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId) {
        if let Some(timer) = self.end_watch(cx, radio) {
            cx.cancel_timer(timer);
        }
        self.lose_neighbor(cx, radio);
    }

    fn end_watch(&mut self, cx: &RouteCtx<'_>, radio: RadioId) -> Option<TimerId> {
        let Some(neighbor) = cx.ctx.radios.node_of_first(radio) else { return self.further_radios.end(radio) };
        self.table.get(neighbor)?;
        self.table.end_watch(neighbor)
    }

    /// Invalidates all routes through a radio of a neighbor, and advertises that at once.
    fn lose_neighbor(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId) {
        let now = cx.now();
        for dst in self.table.through(radio) {
            self.table.break_route(dst, now);
            self.trigger(cx, dst, now);
            cx.route_lost(dst);
        }
    }
}
