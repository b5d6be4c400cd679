//! The mean number of retries per data frame, for queues that drop by it, and the pause that paces a station in contention
//! (`queue.kind = "lred"`).

use super::channel_observer::{ChannelObserver, Role};
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Frame, FrameKind};

/// Mean retries of the unicast data frames that a station has served.
///
/// At the end of each service, the mean moves by `weight` towards the retries of that service: attempts beyond the first, of
/// the RTS or of data without RTS. With aggregation a service ends with an acknowledgment: requests for it count as attempts, and
/// MPDUs that it lacks, which are retransmitted, as their share of one. From a mean of `pace_from` on, the next backoff is longer by
/// the airtime of the last data frame.
#[derive(Debug)]
pub struct MeanRetries {
    weight: f64,
    pace_from: Option<f64>,
    mean: f64,
    /// RTS, data frames, and requests for their acknowledgment, of the current service.
    sent: [u32; 3],
    /// Airtime of the last data frame.
    airtime: Span,
    pause: Span,
}

impl MeanRetries {
    /// Before the first frame. Without `pace_from` the station is not paced.
    pub fn new(weight: f64, pace_from: Option<f64>) -> MeanRetries {
        MeanRetries { weight, pace_from, mean: 0.0, sent: [0; 3], airtime: Span::ZERO, pause: Span::ZERO }
    }
}

impl MeanRetries {
    /// A service has ended, if there was one; `again`: share of its data that will be retransmitted.
    fn end_service(&mut self, again: f64) {
        let [rts, data, requests] = std::mem::take(&mut self.sent);
        let Some(retries) = (rts.max(data) + requests).checked_sub(1) else { return };
        self.mean += self.weight * (f64::from(retries) + again - self.mean);
        if self.pace_from.is_some_and(|from| self.mean >= from) {
            self.pause = self.airtime;
        }
    }
}

impl ChannelObserver for MeanRetries {
    fn on_frame(&mut self, _now: Time, role: Role, frame: &Frame) {
        if role == Role::Received || frame.is_broadcast() {
            return;
        }
        match frame.kind {
            FrameKind::Rts => self.sent[0] += 1,
            FrameKind::Data | FrameKind::Aggregate => {
                self.sent[1] += 1;
                self.airtime = frame.airtime;
            }
            FrameKind::BlockAckRequest => self.sent[2] += 1,
            _ => {}
        }
    }

    fn on_contending(&mut self, _now: Time, is_waiting: bool) {
        if is_waiting {
            self.sent = [0; 3];
        } else {
            self.end_service(0.0);
        }
    }

    fn on_window(&mut self, _now: Time, _neighbor: RadioId, acked: u32, lost: u32) {
        if acked > 0 {
            self.end_service(f64::from(lost) / f64::from(acked + lost));
        }
    }

    fn on_given_up(&mut self, _now: Time, _neighbor: RadioId) {
        self.end_service(0.0);
    }

    fn retries(&self) -> Option<f64> {
        Some(self.mean)
    }

    fn take_pause(&mut self) -> Span {
        std::mem::take(&mut self.pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(observer: &mut MeanRetries, kinds: &[FrameKind]) {
        for &kind in kinds {
            let airtime = Span::from_micros(if kind == FrameKind::Data { 2_000 } else { 300 });
            let frame = Frame { airtime, ..Frame::blank(kind, RadioId(0), RadioId(1)) };
            observer.on_frame(Time::ZERO, Role::Sent, &frame);
        }
        observer.on_contending(Time::ZERO, false);
    }

    #[test]
    fn mean_moves_towards_the_retries_of_each_service() {
        use FrameKind::{Ack, Cts, Data, Rts};
        let mut observer = MeanRetries::new(0.5, None);
        serve(&mut observer, &[Rts, Data]);
        assert_eq!(observer.retries(), Some(0.0));
        // Two RTS fail, then data: an RTS and data each.
        serve(&mut observer, &[Rts, Rts, Rts, Cts, Data, Rts, Ack, Data]);
        assert_eq!(observer.retries(), Some(1.5));
        serve(&mut observer, &[Data, Data]);
        assert_eq!(observer.retries(), Some(1.25));
        // Responses alone are no service.
        serve(&mut observer, &[Cts, Ack]);
        assert_eq!((observer.retries(), observer.take_pause()), (Some(1.25), Span::ZERO));
    }

    #[test]
    fn window_ends_a_service_with_each_acknowledgment() {
        use FrameKind::{Aggregate, BlockAckRequest, Rts};
        let mut observer = MeanRetries::new(0.5, None);
        let mut send = |kinds: &[FrameKind], acked, lost| {
            for &kind in kinds {
                observer.on_frame(Time::ZERO, Role::Sent, &Frame::blank(kind, RadioId(0), RadioId(1)));
            }
            observer.on_window(Time::ZERO, RadioId(1), acked, lost);
            observer.mean
        };
        assert_eq!(send(&[Aggregate], 20, 0), 0.0);
        // A quarter of the MPDUs goes again.
        assert_eq!(send(&[Aggregate], 6, 2), 0.125);
        // An RTS fails, then the Block Ack, then a request: three retries.
        assert_eq!(send(&[Rts, Rts, Aggregate, BlockAckRequest, BlockAckRequest], 8, 0), 0.5 * 3.125);
        // No MPDU has arrived: the service goes on.
        assert_eq!(send(&[Aggregate], 0, 8), 0.5 * 3.125);
        assert_eq!(send(&[Aggregate], 8, 0), 0.25 * 3.125 + 0.5);
        observer.on_contending(Time::ZERO, false);
        assert_eq!(observer.mean, 0.25 * 3.125 + 0.5);
    }

    #[test]
    fn overheard_and_broadcast_frames_do_not_count() {
        let mut observer = MeanRetries::new(0.5, Some(0.0));
        let data = Frame::blank(FrameKind::Data, RadioId(0), RadioId(1));
        observer.on_frame(Time::ZERO, Role::Received, &data);
        observer.on_frame(Time::ZERO, Role::Sent, &Frame { ra: RadioId::BROADCAST, ..data });
        observer.on_contending(Time::ZERO, false);
        assert_eq!((observer.retries(), observer.take_pause()), (Some(0.0), Span::ZERO));
    }

    #[test]
    fn pause_follows_one_service_from_the_threshold_on() {
        let mut observer = MeanRetries::new(0.5, Some(0.5));
        serve(&mut observer, &[FrameKind::Data]);
        assert_eq!(observer.take_pause(), Span::ZERO);
        serve(&mut observer, &[FrameKind::Data, FrameKind::Data]);
        assert_eq!(observer.take_pause(), Span::from_micros(2_000));
        assert_eq!(observer.take_pause(), Span::ZERO);
    }
}
