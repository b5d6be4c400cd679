//! DCF, rate control: the modulation of each attempt, and what the control learns of its result.

use super::state::{NextFrame, Service};
use super::station::Mac;
use crate::kernel::Time;
use crate::mac::MacCtx;
use crate::mac::rate::{AnyRateControl, Outcome};

impl Mac {
    /// Lets `control` choose the modulations of unicast data frames.
    pub fn control_rates(&mut self, control: AnyRateControl) {
        self.rates = Some(Box::new(control));
    }

    /// Sets modulation, air time and Duration of the data frame in service for its next attempt.
    #[inline(never)]
    pub(super) fn choose_rate(&mut self, now: Time) {
        let (Some(rates), Some(service)) = (&mut self.rates, &mut self.outgoing.service) else { return };
        if service.next == NextFrame::GrantedData || service.frame.is_broadcast() {
            return;
        }
        let frame = &mut service.frame;
        frame.modulation = rates.modulation(now, frame.ra, service.attempts);
        frame.airtime = self.timing.airtime(frame.modulation, frame.bytes);
        frame.duration = self.timing.data_duration(frame.modulation);
    }

    /// Reports to the rate control that the data frame of `service` has been acknowledged.
    #[inline(never)]
    pub(super) fn report_success(&mut self, cx: &MacCtx<'_>, service: &Service) {
        let Some(rates) = &mut self.rates else { return };
        let (to, modulation) = (service.frame.ra, service.frame.modulation);
        rates.on_result(cx.ctx.now, to, &Outcome::single(modulation, true, cx.medium.last_ratio(to)));
    }

    /// Reports to the rate control that the data frame in service has not been acknowledged. Returns the limit of its attempts,
    /// if the control sets one.
    pub(super) fn report_failure(&mut self, now: Time) -> Option<u32> {
        let (Some(rates), Some(service)) = (&mut self.rates, &mut self.outgoing.service) else { return None };
        service.attempts += 1;
        let (to, modulation) = (service.frame.ra, service.frame.modulation);
        rates.on_result(now, to, &Outcome::single(modulation, false, 0.0));
        rates.attempts(to)
    }

    /// Reports to the rate control that a packet is given up after its data frames.
    pub(super) fn report_given_up(&mut self, now: Time, service: &Service) {
        if let Some(rates) = &mut self.rates {
            rates.on_given_up(now, service.frame.ra);
        }
    }
}
