//! The channel access functions (EDCAFs) of a station with access categories (IEEE 802.11-2016 section 10.22.2).
//!
//! One category is selected: its state is that of the station's own parts, so that a station without categories pays nothing.
//! The state of the others is here.

use super::access::{Access, AccessLimits};
use super::backoff::Backoff;
use super::outgoing::{Outgoing, Service};
use super::parking::Parking;
use super::txop::Txop;
use crate::kernel::{Span, Time};
use crate::mac::aggregation::{Aggregation, AggregationRules, Originator};
use crate::packet::{Category, PacketId};

/// All functions of a station; the place of the selected one is empty.
#[derive(Debug)]
pub(in crate::mac::dcf) struct Functions {
    selected: Category,
    /// The selected function lays out an A-MPDU.
    pub(in crate::mac::dcf) is_in_turn: bool,
    all: [Function; Category::COUNT],
}

/// The state of one function.
#[derive(Debug)]
pub(in crate::mac::dcf) struct Function {
    /// Slots that are left.
    pub(in crate::mac::dcf) backoff: Backoff,
    /// Contention window, in slots.
    pub(in crate::mac::dcf) cw: u32,
    /// Its parameters.
    pub(in crate::mac::dcf) limits: AccessLimits,
    /// What it has to send.
    pub(in crate::mac::dcf) outgoing: Outgoing,
    txop: Txop,
    /// Its packet that does not contend.
    pub(in crate::mac::dcf) parking: Parking,
    /// Its windows of MPDUs, if the station aggregates.
    originator: Option<Originator>,
}

impl Functions {
    /// Functions with these parameters, best effort selected.
    pub(in crate::mac::dcf) fn new(limits: [AccessLimits; Category::COUNT]) -> Functions {
        let idle = |category: Category| {
            let limits = limits[category as usize];
            let backoff = Backoff::of(category);
            let (outgoing, txop) = (Outgoing::default(), Txop::Off);
            let parking = Parking::of(category);
            Function { backoff, cw: limits.cw_min, limits, outgoing, txop, parking, originator: None }
        };
        Functions { selected: Category::BestEffort, is_in_turn: false, all: Category::ALL.map(idle) }
    }

    /// Gives each function windows of its own.
    pub(in crate::mac::dcf) fn aggregate(&mut self, rules: AggregationRules) {
        for function in &mut self.all {
            function.originator = Some(Originator::new(rules));
        }
    }

    /// Parameters of a category; none of the selected one, which the station holds.
    pub(in crate::mac::dcf) fn limits_of(&self, category: Category) -> Option<AccessLimits> {
        (category != self.selected).then(|| self.all[category as usize].limits)
    }

    /// Whether any keeps the medium for several exchanges.
    pub(in crate::mac::dcf) fn has_txops(&self) -> bool {
        self.all.iter().any(|function| function.limits.txop > Span::ZERO)
    }

    /// The selected category.
    pub(in crate::mac::dcf) fn selected(&self) -> Category {
        self.selected
    }

    /// Selects a category: its state changes places with that of the one that was selected.
    pub(in crate::mac::dcf) fn select(
        &mut self,
        category: Category,
        access: &mut Access,
        (outgoing, parking): (&mut Outgoing, &mut Parking),
        txop: &mut Txop,
        aggregation: Option<&mut Aggregation>,
    ) {
        if category == self.selected {
            return;
        }
        let function = &mut self.all[category as usize];
        access.exchange(&mut function.backoff, &mut function.cw, &mut function.limits);
        std::mem::swap(outgoing, &mut function.outgoing);
        std::mem::swap(parking, &mut function.parking);
        std::mem::swap(txop, &mut function.txop);
        if let (Some(aggregation), Some(originator)) = (aggregation, &mut function.originator) {
            std::mem::swap(&mut aggregation.originator, originator);
        }
        self.all.swap(category as usize, self.selected as usize);
        self.selected = category;
    }

    /// The functions that are not selected, with their categories.
    pub(in crate::mac::dcf) fn others(&self) -> impl Iterator<Item = (Category, &Function)> {
        let selected = self.selected;
        Category::ALL.into_iter().zip(&self.all).filter(move |(category, _)| *category != selected)
    }

    /// The functions that are not selected.
    pub(in crate::mac::dcf) fn others_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        let selected = self.selected as usize;
        self.all.iter_mut().enumerate().filter(move |(place, _)| *place != selected).map(|(_, function)| function)
    }

    /// The packets of the functions that are not selected, in service, parked and in windows, and whether their next hops have
    /// received them. `is_windowed`: which services are in a window.
    pub(in crate::mac::dcf) fn in_service(
        &self,
        is_windowed: impl Fn(&Service) -> bool + Copy,
    ) -> impl Iterator<Item = (PacketId, bool)> {
        self.others().flat_map(move |(_, function)| {
            let services = function.outgoing.service.as_ref().into_iter().chain(function.parking.service());
            let single = services.filter(move |service| !is_windowed(service));
            let windows = function.originator.iter().flat_map(Originator::packets);
            single.map(|service| (service.packet, service.reached_next_hop)).chain(windows)
        })
    }

    /// Whether a function that is not selected has a packet.
    pub(in crate::mac::dcf) fn has_service(&self) -> bool {
        self.others().any(|(_, function)| function.outgoing.service.is_some())
    }

    /// Whether a parked packet of a function that is not selected may contend.
    pub(in crate::mac::dcf) fn has_due(&self) -> bool {
        self.others().any(|(_, function)| function.parking.is_due())
    }

    /// Whether a packet of a function that is not selected is parked.
    pub(in crate::mac::dcf) fn has_parked(&self) -> bool {
        self.others().any(|(_, function)| function.parking.is_parked())
    }

    /// Data packets of the functions that are not selected, as [`data_packets`] counts them.
    pub(in crate::mac::dcf) fn data_packets(&self, is_windowed: impl Fn(&Service) -> bool + Copy) -> u32 {
        self.others()
            .map(|(_, other)| data_packets(&other.outgoing, &other.parking, other.originator.as_ref(), is_windowed))
            .sum()
    }

    /// Whether a function that is not selected has data in service or parked.
    pub(in crate::mac::dcf) fn has_data(&self) -> bool {
        self.others().any(|(_, other)| other.outgoing.data().is_some() || other.parking.is_parked())
    }

    /// A function that is not selected.
    pub(in crate::mac::dcf) fn other_mut(&mut self, category: Category) -> Option<&mut Function> {
        (category != self.selected).then(|| &mut self.all[category as usize])
    }

    /// Categories but the selected one whose count ends now.
    pub(in crate::mac::dcf) fn ending(&self, now: Time) -> impl Iterator<Item = Category> {
        self.others().filter(move |(_, function)| function.backoff.ends_at(now)).map(|(category, _)| category)
    }
}

/// Data packets of one function: in service or parked, or all of the window that these are in.
pub(in crate::mac::dcf) fn data_packets(
    outgoing: &Outgoing,
    parking: &Parking,
    originator: Option<&Originator>,
    is_windowed: impl Fn(&Service) -> bool,
) -> u32 {
    let services = outgoing.data().into_iter().chain(parking.service());
    let single = services.filter(|service| !is_windowed(service)).count();
    (single + originator.map_or(0, |originator| originator.packets().count())) as u32
}
