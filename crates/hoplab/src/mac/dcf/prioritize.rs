//! DCF, access categories: one channel access function for each, and what happens when two end their counts together.
//!
//! IEEE 802.11-2016 section 10.22.2.4: of the functions of a station that may send at one slot boundary, that of the highest
//! priority sends. For the others this is an internal collision, with the same consequences as one on the air: a retry is
//! counted, the window doubles, and a new backoff is drawn. ns-3.37 `ChannelAccessManager::DoGrantDcfAccess`,
//! `QosFrameExchangeManager::NotifyInternalCollision`.

use super::state::{AccessLimits, Functions, NextFrame, Service};
use super::station::Mac;
use crate::kernel::{RunKind, Span, Time};
use crate::mac::aggregation::Originator;
use crate::mac::edca::{CategoryConfig, EdcaConfig};
use crate::mac::{MacCtx, MacOut};
use crate::packet::{Category, FrameKind, PacketId};
use crate::phy::Radio;

impl Mac {
    /// Gives each category a channel access function of its own. `edca` has all keys.
    pub fn prioritize(&mut self, edca: &EdcaConfig) {
        let limits = Category::ALL.map(|category| self.limits_of(edca.of(category)));
        let functions = Functions::new(limits);
        // The selected function lives in the station's own parts.
        self.access.set_limits(limits[functions.selected() as usize]);
        self.functions = Some(Box::new(functions));
    }

    fn limits_of(&self, keys: &CategoryConfig) -> AccessLimits {
        let usual = AccessLimits::of(&self.timing);
        // As in `Timing::difs`: the end of AIFS counts as a slot.
        let slots = keys.aifsn.map(|aifsn| aifsn.saturating_sub(self.timing.extra_slots));
        AccessLimits {
            cw_min: keys.cw_min.unwrap_or(usual.cw_min),
            cw_max: keys.cw_max.unwrap_or(usual.cw_max),
            difs: slots.map_or(usual.difs, |slots| self.timing.sifs + self.timing.slot * u64::from(slots)),
            txop: keys.txop_limit.unwrap_or(Span::ZERO),
        }
    }

    /// Channel access of packets of a category at an idle station: interframe space, least and largest contention window, and
    /// TXOP limit (zero: a frame per access).
    pub fn access_of(&self, category: Category) -> (Span, [u32; 2], Span) {
        let other = self.functions.as_ref().and_then(|functions| functions.limits_of(category));
        let limits = other.unwrap_or(self.access.limits);
        (limits.difs, [limits.cw_min, limits.cw_max], limits.txop)
    }

    /// The category that is selected, if the station has categories.
    pub(super) fn selected(&self) -> Option<Category> {
        self.functions.as_ref().map(|functions| functions.selected())
    }

    pub(super) fn select(&mut self, category: Category) {
        if let Some(functions) = &mut self.functions {
            let aggregation = self.aggregation.as_deref_mut();
            let parts = (&mut self.outgoing, &mut self.parking);
            functions.select(category, &mut self.access, parts, &mut self.txop, aggregation);
        }
    }

    /// Does this with each function selected in turn, the highest priority first; then with the one that was.
    pub(super) fn each_function(&mut self, cx: &mut MacCtx<'_>, act: impl Fn(&mut Mac, &mut MacCtx<'_>)) {
        let Some(holder) = self.selected() else { return act(self, cx) };
        for category in Category::ALL.into_iter().rev() {
            self.select(category);
            act(self, cx);
        }
        self.select(holder);
    }

    /// Takes a packet into service of the function of its category.
    #[inline(never)]
    pub(super) fn send_in_category(&mut self, cx: &mut MacCtx<'_>, packet: PacketId) {
        let Some(holder) = self.selected() else { return };
        let is_held = self.exchange.has_timer() || self.exchange.owes_response() || self.is_in_turn();
        self.select(cx.ctx.packet(packet).category);
        self.take(cx, packet);
        if is_held {
            // The exchange is that of another function.
            self.select(holder);
        }
    }

    /// The timer of a function's backoff has fired.
    #[inline(never)]
    pub(super) fn on_function_timer(&mut self, cx: &mut MacCtx<'_>, category: Category) {
        let Some(functions) = &mut self.functions else { return };
        let backoff = match functions.other_mut(category) {
            Some(function) => &mut function.backoff,
            None => &mut self.access.backoff,
        };
        if !backoff.on_timer(cx.ctx, self.radio) {
            return;
        }
        // A response goes first, and the rest of an exchange: `resume` draws anew.
        if self.exchange.owes_response() || self.exchange.is_in_sifs() {
            self.update_cca_reporting(cx);
            return;
        }
        self.select(category);
        if !self.is_idle(cx) {
            self.on_backoff_over(cx);
            return;
        }
        let ending: Vec<Category> = self.functions.iter().flat_map(|functions| functions.ending(cx.ctx.now)).collect();
        let mut winner = self.outgoing.service.is_some().then_some(category);
        let mut losers = Vec::new();
        for other in ending {
            self.select(other);
            self.access.backoff.cancel(cx.ctx);
            if self.outgoing.service.is_none() {
                continue;
            }
            let (higher, lower) = if winner < Some(other) { (Some(other), winner) } else { (winner, Some(other)) };
            winner = higher;
            losers.extend(lower);
        }
        self.select(winner.unwrap_or(category));
        self.on_backoff_over(cx);
        for loser in losers {
            let holder = self.selected();
            self.select(loser);
            // Where the life of all MPDUs of the winner has ended, nothing is sent, and `resume` has drawn anew.
            if !self.access.backoff.is_pending() {
                self.on_internal_collision(cx);
            }
            self.select(holder.unwrap_or(loser));
        }
    }

    /// Another function of this station sends at the slot boundary at which the selected one was to send.
    fn on_internal_collision(&mut self, cx: &mut MacCtx<'_>) {
        let Some(category) = self.selected() else { return };
        let node = cx.ctx.radios.owner(self.radio);
        cx.ctx.trace.counters.category(node, category, |counters| counters.internal_collisions += 1);
        let Some(service) = &self.outgoing.service else { return };
        let kind = if matches!(service.next, NextFrame::Rts { .. }) { FrameKind::Rts } else { FrameKind::Data };
        let is_short = kind == FrameKind::Rts || service.is_short;
        let config = &self.timing.config;
        let limit = if is_short { config.ssrl } else { config.slrl };
        if !service.frame.is_broadcast() && self.outgoing.retries.fail(is_short, limit) {
            if self.has_window() {
                self.give_up_window(cx, kind, Originator::give_up_first);
            } else {
                self.give_up(cx, kind);
            }
            self.offer_room(cx);
        } else {
            self.double_cw(cx);
        }
    }

    /// Functions but the selected one that have a packet and no backoff draw one.
    #[cold]
    pub(super) fn draw_others(&mut self) {
        let Some(functions) = &mut self.functions else { return };
        for function in functions.others_mut() {
            let is_due = function.outgoing.service.as_ref().is_some_and(Service::contends);
            if is_due && !function.backoff.is_pending() {
                let slots = self.access.slots(function.cw + 1);
                function.backoff.draw(slots + self.timing.extra_slots);
            }
        }
    }

    /// Resumes or freezes the backoffs of all functions but the selected one, as the medium allows.
    #[cold]
    pub(super) fn resume_or_freeze_others(&mut self, cx: &mut MacCtx<'_>) {
        if !self.is_idle(cx) {
            self.freeze_others(cx);
            return;
        }
        let eifs = self.access.eifs_until.since(cx.ctx.now);
        for function in self.functions.iter_mut().flat_map(|functions| functions.others_mut()) {
            function.backoff.resume(cx.ctx, self.radio, function.limits.difs.max(eifs), self.timing.slot);
        }
    }

    /// Freezes the backoffs of all functions but the selected one.
    #[inline(never)]
    pub(super) fn freeze_others(&mut self, cx: &mut MacCtx<'_>) {
        for function in self.functions.iter_mut().flat_map(|functions| functions.others_mut()) {
            function.backoff.freeze(cx.ctx, self.timing.slot);
        }
    }

    /// The same for a medium that has been busy since `at`.
    #[inline(never)]
    pub(super) fn freeze_others_at(&mut self, at: Time) {
        for function in self.functions.iter_mut().flat_map(|functions| functions.others_mut()) {
            function.backoff.freeze_at(at, self.timing.slot);
        }
    }

    /// Whether any function's backoff is pending, and whether any counts.
    #[inline]
    pub(super) fn backoffs<R: RunKind>(&self) -> (bool, bool) {
        let own = (self.access.backoff.is_pending(), self.access.backoff.is_running());
        if R::IS_PLAIN || self.functions.is_none() { own } else { self.backoffs_of_all(own) }
    }

    #[cold]
    fn backoffs_of_all(&self, own: (bool, bool)) -> (bool, bool) {
        self.functions.iter().flat_map(|functions| functions.others()).fold(
            own,
            |(is_pending, is_running), (_, other)| {
                (is_pending || other.backoff.is_pending(), is_running || other.backoff.is_running())
            },
        )
    }

    /// Between two events: whether the backoff of a function that is not selected is frozen although it may count.
    pub(super) fn is_other_stalled(&self, radio: &Radio) -> bool {
        let is_counting = radio.cca_reporting != crate::phy::CcaReporting::Frozen;
        self.functions
            .iter()
            .flat_map(|functions| functions.others())
            .any(|(_, function)| function.backoff.is_pending() && !(function.backoff.is_running() && is_counting))
    }

    /// Whether a function that is not selected has a packet.
    pub(super) fn has_other_service(&self) -> bool {
        self.functions.as_ref().is_some_and(|functions| functions.has_service())
    }

    /// The selected function lays out an A-MPDU, whose packets come down before anything else happens.
    pub(super) fn begin_turn(&mut self) {
        if let Some(functions) = &mut self.functions {
            functions.is_in_turn = true;
        }
    }

    /// What has joined is sent.
    pub(super) fn end_turn(&mut self) {
        if let Some(functions) = &mut self.functions {
            functions.is_in_turn = false;
        }
    }

    /// Whether the selected function lays out an A-MPDU.
    pub(super) fn is_in_turn(&self) -> bool {
        self.functions.as_ref().is_some_and(|functions| functions.is_in_turn)
    }

    /// The indication that the selected function can take a packet.
    pub(super) fn ready<R: RunKind>(&self) -> MacOut {
        let category = if R::IS_PLAIN { None } else { self.selected() };
        category.map_or(MacOut::Ready, |category| MacOut::ReadyFor { category })
    }

    /// The indication that the selected function can take a control packet, and no other.
    pub(super) fn parked(&self) -> MacOut {
        self.selected().map_or(MacOut::Parked, |category| MacOut::ParkedFor { category })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Bytes;
    use crate::mac::MacConfig;
    use crate::mac::dcf::test_station::{ME, OTHER, Station};
    use crate::trace::{CategoryCounters, What};

    fn station() -> Station {
        let config = MacConfig { rts_threshold: Bytes(3000), ..MacConfig::std() };
        let mut station = Station::plain(&config);
        station.mac.prioritize(&EdcaConfig::default().completed(&config.access()));
        station.ctx.trace.counters.count_categories();
        station.ctx.trace.keep_records();
        station
    }

    fn send(station: &mut Station, category: Category) -> PacketId {
        let packet = station.packet(ME, OTHER, 500);
        station.ctx.packet_mut(packet).category = category;
        station.act(|mac, cx| mac.send(cx, packet));
        packet
    }

    fn counters(station: &Station, category: Category) -> CategoryCounters {
        station.ctx.trace.counters.categories(ME.index()).expect("categories")[category as usize]
    }

    /// Voice and video with so many slots left each, on a medium that becomes idle.
    fn together(slots: [u32; 2]) -> (Station, [PacketId; 2]) {
        let mut station = station();
        station.has_carrier(true);
        let packets = [Category::Voice, Category::Video].map(|category| send(&mut station, category));
        let [voice, video] = slots;
        station.mac.access.backoff.cancel(&mut station.ctx);
        station.mac.access.backoff.draw(video);
        let functions = station.mac.functions.as_mut().expect("a station with categories");
        let other = functions.other_mut(Category::Voice).expect("video is selected");
        other.backoff.cancel(&mut station.ctx);
        other.backoff.draw(voice);
        station.has_carrier(false);
        station.act(Mac::on_idle);
        (station, packets)
    }

    /// Times of the frames in microseconds.
    fn sent(station: &mut Station) -> Vec<u64> {
        let records = station.ctx.trace.take_records();
        let frames = records.iter().filter(|record| matches!(record.what, What::FrameSent { .. }));
        frames.map(|record| record.time.0 / 1000).collect()
    }

    #[test]
    fn higher_category_sends_at_a_common_slot_boundary() {
        for (slots, first) in [([3, 3], Category::Voice), ([4, 3], Category::Video), ([3, 4], Category::Voice)] {
            let (mut station, _) = together(slots);
            // SIFS, two slots of AIFS, and the smaller count.
            station.run_until(Time::ZERO + Span::from_micros(10 + 2 * 20 + 3 * 20));
            assert_eq!(sent(&mut station), [110], "{slots:?}");
            assert_eq!((station.mac.selected(), counters(&station, first).data), (Some(first), 1), "{slots:?}");
            let collisions = u64::from(slots == [3, 3]);
            assert_eq!(counters(&station, Category::Video).internal_collisions, collisions, "{slots:?}");
            assert_eq!(counters(&station, Category::Voice).internal_collisions, 0);
        }
    }

    #[test]
    fn each_category_gives_up_and_asks_for_its_next_packet() {
        let (mut station, packets) = together([3, 3]);
        station.run_until(Time::from_secs(10.0));
        for (packet, category) in packets.into_iter().zip([Category::Voice, Category::Video]) {
            let failed = MacOut::Failed { packet, next_hop: OTHER, reached_next_hop: false };
            assert!(station.out.contains(&failed), "{category:?}: {:?}", station.out);
            assert!(station.out.contains(&MacOut::ReadyFor { category }), "{category:?}: {:?}", station.out);
            // Seven attempts, of which internal collisions are some.
            let counters = counters(&station, category);
            assert_eq!(counters.data + counters.internal_collisions, 7, "{category:?}");
        }
        assert!(!station.mac.activity().is_contending);
    }

    #[test]
    fn packet_of_another_category_leaves_the_exchange_alone() {
        let (mut station, _) = together([1, 9]);
        station.run_until(Time::ZERO + Span::from_micros(100));
        assert_eq!(station.mac.selected(), Some(Category::Voice));
        send(&mut station, Category::Background);
        assert_eq!(station.mac.selected(), Some(Category::Voice));
        assert_eq!(station.mac.in_service().count(), 3);
    }
}
