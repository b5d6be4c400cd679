//! Links between radios of this node and radios of neighbors (RFC 3626 sections 4.2.1, 6.1.1 and 7.1).

use super::super::config::OlsrConfig;
use super::super::message::{Link, LinkType, NeighborType};
use super::super::quality::{Cost, Quality, Window};
use crate::kernel::{RadioId, Span, Time};

/// A link to one radio of a neighbor; the own radio is that on its channel. Times are those at which a property ends; it holds
/// before.
#[derive(Clone, Debug)]
pub(in super::super) struct SensedLink {
    /// The neighbor's radio.
    pub(in super::super) radio: RadioId,
    /// The link works in both directions (`L_SYM_time`).
    sym_until: Time,
    /// Messages of the neighbor arrive (`L_ASYM_time`).
    asym_until: Time,
    /// The link is remembered (`L_time`).
    until: Time,
    /// Whether the link counts as symmetric: until the end of `sym_until` is processed.
    pub(in super::super) is_symmetric: bool,
    /// HELLO messages that have arrived.
    pub(in super::super) window: Window,
    /// Share of this node's HELLO messages that arrive there, as the neighbor states it.
    pub(in super::super) nlq: u8,
}

/// What a HELLO message has changed at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Sensed {
    /// Nothing.
    Same,
    /// It is symmetric now.
    Gained,
    /// The neighbor lists it as lost.
    Lost,
}

impl SensedLink {
    /// A link that is not known yet.
    pub(in super::super) fn new(radio: RadioId) -> SensedLink {
        SensedLink {
            radio,
            sym_until: Time::ZERO,
            asym_until: Time::ZERO,
            until: Time::ZERO,
            is_symmetric: false,
            window: Window::default(),
            nlq: 0,
        }
    }

    /// Quality of the link.
    pub(in super::super) fn quality(&self, now: Time, config: &OlsrConfig) -> Quality {
        Quality { lq: self.window.quality(now, config.etx_window), nlq: self.nlq }
    }

    /// Expected transmissions over the link, if it can be used.
    pub(in super::super) fn cost(&self, now: Time, config: &OlsrConfig) -> Option<Cost> {
        self.quality(now, config).cost()
    }

    /// The link as a HELLO message lists it; `is_here`: whether the message is sent over its own radio.
    pub(in super::super) fn listed(
        &self,
        neighbor: NeighborType,
        is_here: bool,
        now: Time,
        config: &OlsrConfig,
    ) -> Link {
        let link = match (is_here, self.is_symmetric, self.asym_until > now) {
            (false, ..) => LinkType::Unspecified,
            (true, true, _) => LinkType::Sym,
            (true, false, true) => LinkType::Asym,
            (true, false, false) => LinkType::Lost,
        };
        let quality = if config.has_quality() { self.quality(now, config) } else { Quality::default() };
        Link { to: self.radio, link, neighbor, quality }
    }

    /// Link sensing (RFC 3626 section 7.1.1). `own` is the receiving radio as the neighbor lists it.
    pub(in super::super) fn sense(&mut self, own: Option<&Link>, now: Time, validity: Span, hold: Span) -> Sensed {
        self.asym_until = now + validity;
        let mut sensed = Sensed::Same;
        match own.map(|own| own.link) {
            Some(LinkType::Lost) => {
                self.end();
                sensed = Sensed::Lost;
            }
            Some(LinkType::Asym | LinkType::Sym) => {
                if !self.is_symmetric {
                    sensed = Sensed::Gained;
                }
                self.is_symmetric = true;
                self.sym_until = now + validity;
                self.until = self.sym_until + hold;
            }
            Some(LinkType::Unspecified) | None => {}
        }
        self.until = self.until.max(self.asym_until);
        sensed
    }

    /// The MAC has lost the link. It is listed as lost for `hold` (RFC 3626 section 13).
    pub(in super::super) fn break_off(&mut self, now: Time, hold: Span) {
        self.asym_until = Time::ZERO;
        self.until = now + hold;
        self.end();
    }

    /// Ends the link if its time is over. Returns whether it has ended.
    pub(in super::super) fn expire(&mut self, now: Time) -> bool {
        let is_over = self.is_symmetric && self.sym_until <= now;
        if is_over {
            self.end();
        }
        is_over
    }

    /// Whether the link is remembered.
    pub(in super::super) fn is_known(&self, now: Time) -> bool {
        self.until > now
    }

    /// Ends of properties that come next.
    pub(in super::super) fn ends(&self) -> impl Iterator<Item = Time> + use<> {
        let symmetric = self.is_symmetric.then_some(self.sym_until);
        symmetric.into_iter().chain([self.until])
    }

    fn end(&mut self) {
        self.sym_until = Time::ZERO;
        self.is_symmetric = false;
    }
}
