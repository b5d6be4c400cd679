//! The parked data packet: it does not contend, because a neighbor is congested (Cai 2013, Algorithm 1).
//!
//! A parked packet has left the service. It is reconsidered at a time, or before if a neighbor's congestion is over; then it
//! is due, and returns as soon as no control packet is in service. See `docs/protocols/semi_tcp.md`.
//!
//! Timers: [`MacTimer::Park`], at which the packet is reconsidered.

use super::outgoing::Service;
use crate::kernel::{RadioId, Time, TimerId};
use crate::packet::Category;
use crate::sim::{Ctx, Event, MacTimer};

/// The parked packet of an access function, with what is in the window behind it.
#[derive(Debug, Default)]
pub(in crate::mac::dcf) struct Parking {
    state: State,
    category: Category,
}

#[derive(Debug, Default)]
enum State {
    /// No packet is parked.
    #[default]
    Empty,
    /// A packet is, and is reconsidered when the timer fires.
    Parked { service: Service, timer: TimerId },
    /// A packet may contend as soon as no other one is in service.
    Due { service: Service },
}

impl Parking {
    /// Nothing parked, of this category.
    pub(in crate::mac::dcf) fn of(category: Category) -> Parking {
        Parking { state: State::Empty, category }
    }

    /// Whether a packet is parked, due or not.
    #[inline]
    pub(in crate::mac::dcf) fn is_parked(&self) -> bool {
        !matches!(self.state, State::Empty)
    }

    /// Whether a packet is parked that may not contend yet.
    pub(in crate::mac::dcf) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Parked { .. })
    }

    /// Whether a packet is parked that may contend.
    pub(in crate::mac::dcf) fn is_due(&self) -> bool {
        matches!(self.state, State::Due { .. })
    }

    /// The parked packet.
    pub(in crate::mac::dcf) fn service(&self) -> Option<&Service> {
        match &self.state {
            State::Empty => None,
            State::Parked { service, .. } | State::Due { service } => Some(service),
        }
    }

    /// Parks a packet until it is reconsidered at `until`, or before.
    pub(in crate::mac::dcf) fn park(&mut self, ctx: &mut Ctx, radio: RadioId, service: Service, until: Time) {
        debug_assert!(!self.is_parked(), "one packet is parked at a time");
        let timer = ctx.events.schedule(until, Event::Mac { radio, timer: MacTimer::Park(self.category) });
        self.state = State::Parked { service, timer };
    }

    /// The timer has fired: the packet is due, unless it is parked once more.
    pub(in crate::mac::dcf) fn on_timer(&mut self) {
        if let State::Parked { service, .. } = self.state {
            self.state = State::Due { service };
        }
    }

    /// Parks the packet that is due once more, until `until` or before.
    pub(in crate::mac::dcf) fn park_again(&mut self, ctx: &mut Ctx, radio: RadioId, until: Time) {
        if let Some(service) = self.take_due() {
            self.park(ctx, radio, service, until);
        }
    }

    /// Lets the packet contend, if one is parked. Whether one is.
    pub(in crate::mac::dcf) fn release(&mut self, ctx: &mut Ctx) -> bool {
        if let State::Parked { service, timer } = self.state {
            ctx.events.cancel(timer);
            self.state = State::Due { service };
        }
        self.is_parked()
    }

    /// Returns the packet that waits, and clears it.
    pub(in crate::mac::dcf) fn withdraw(&mut self, ctx: &mut Ctx) -> Option<Service> {
        self.release(ctx);
        self.take_due()
    }

    /// Returns the packet that is due, and clears it.
    pub(in crate::mac::dcf) fn take_due(&mut self) -> Option<Service> {
        let State::Due { service } = self.state else { return None };
        self.state = State::Empty;
        Some(service)
    }
}
