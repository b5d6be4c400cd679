//! The observers of one radio: each receives every event; of several estimates, the first observer's counts.

use super::channel_observer::{ChannelObserver, Content, Role};
use super::list::Observer;
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Category, ChannelView, Frame, LinkCost, LinkEstimate};

/// All observers at one radio; in most runs none.
#[derive(Debug, Default)]
pub struct Observers(Vec<Observer>);

impl Observers {
    /// Adds one.
    pub fn push(&mut self, observer: Observer) {
        self.0.push(observer);
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Observer> {
        self.0.iter()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// See [`ChannelObserver::note`]: the largest of all observers.
    pub fn note(&self, now: Time) -> u32 {
        self.0.iter().map(|observer| observer.note(now)).max().unwrap_or(0)
    }

    /// Names of the observers that estimate the node's links, with the estimates over the `window` before now.
    pub fn links(&self, now: Time, window: Span) -> impl Iterator<Item = (&'static str, LinkEstimate)> + '_ {
        self.0.iter().filter_map(move |observer| Some((observer.name(), observer.link(now, window)?)))
    }

    /// See [`ChannelObserver::on_frame`].
    #[inline]
    pub fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        for observer in &mut self.0 {
            observer.on_frame(now, role, frame);
        }
    }

    /// See [`ChannelObserver::on_content`].
    pub fn on_content(&mut self, now: Time, role: Role, frame: &Frame, content: &Content) {
        for observer in &mut self.0 {
            observer.on_content(now, role, frame, content);
        }
    }

    /// See [`ChannelObserver::on_carrier`].
    pub fn on_carrier(&mut self, now: Time) {
        for observer in &mut self.0 {
            observer.on_carrier(now);
        }
    }

    /// See [`ChannelObserver::on_idle`].
    pub fn on_idle(&mut self, now: Time) {
        for observer in &mut self.0 {
            observer.on_idle(now);
        }
    }

    /// See [`ChannelObserver::on_nav`].
    pub fn on_nav(&mut self, now: Time, until: Time) {
        for observer in &mut self.0 {
            observer.on_nav(now, until);
        }
    }

    /// See [`ChannelObserver::take_pause`]: the sum over all observers.
    #[inline]
    pub fn take_pause(&mut self) -> Span {
        self.0.iter_mut().fold(Span::ZERO, |sum, observer| sum + observer.take_pause())
    }

    /// See [`ChannelObserver::on_service`].
    pub fn on_service(&mut self, now: Time, category: Category, is_begun: bool) {
        for observer in &mut self.0 {
            observer.on_service(now, category, is_begun);
        }
    }

    /// See [`ChannelObserver::on_window`].
    pub fn on_window(&mut self, now: Time, neighbor: RadioId, acked: u32, lost: u32) {
        for observer in &mut self.0 {
            observer.on_window(now, neighbor, acked, lost);
        }
    }

    /// See [`ChannelObserver::on_given_up`].
    pub fn on_given_up(&mut self, now: Time, neighbor: RadioId) {
        for observer in &mut self.0 {
            observer.on_given_up(now, neighbor);
        }
    }
}

impl ChannelView for Observers {
    fn busy(&self, now: Time, window: Span) -> Option<f64> {
        self.0.iter().find_map(|observer| observer.busy(now, window))
    }

    fn link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        self.0.iter().find_map(|observer| observer.link(now, window))
    }

    fn router_link(&self, now: Time, window: Span) -> Option<LinkEstimate> {
        self.0.iter().find_map(|observer| observer.router_link(now, window))
    }

    fn neighbors(&self, now: Time, window: Span) -> Option<u32> {
        self.0.iter().find_map(|observer| observer.neighbors(now, window))
    }

    fn airtime(&self, neighbor: RadioId, category: Category) -> Option<Span> {
        self.0.iter().find_map(|observer| observer.airtime(neighbor, category))
    }

    fn last_service(&self, category: Category) -> Option<Span> {
        self.0.iter().find_map(|observer| observer.last_service(category))
    }

    fn records(&self, now: Time, window: Span, put: &mut dyn FnMut(RadioId, u32)) {
        for observer in &self.0 {
            observer.records(now, window, put);
        }
    }

    fn retries(&self) -> Option<f64> {
        self.0.iter().find_map(ChannelObserver::retries)
    }

    fn link_cost(&self, neighbor: RadioId) -> Option<LinkCost> {
        self.0.iter().find_map(|observer| observer.link_cost(neighbor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::observer::{IdleGapConfig, ObserverKind, ObserverSetup, ObserverTables, WinfConfig};
    use crate::mac::{MacConfig, Timing};
    use crate::packet::FrameKind;
    use std::sync::Arc;

    #[test]
    fn first_observer_with_an_estimate_is_used() {
        let timing = Arc::new(Timing::new(&MacConfig::default()));
        let tables = ObserverTables { winf: &WinfConfig::default(), idle_gap: &IdleGapConfig::default() };
        let setup = ObserverSetup { radio: RadioId(0), timing: &timing };
        let mut observers = Observers::default();
        for (kind, neighbors) in
            [(ObserverKind::Winf, None), (ObserverKind::IdleGap, None), (ObserverKind::Busy, Some(1))]
        {
            observers.push(kind.build(&tables, &setup));
            observers.on_frame(Time(1000), Role::Received, &Frame::blank(FrameKind::Rts, RadioId(1), RadioId(2)));
            assert_eq!(observers.neighbors(Time(1000), Span::from_millis(1000)), neighbors, "{kind:?}");
        }
    }
}
