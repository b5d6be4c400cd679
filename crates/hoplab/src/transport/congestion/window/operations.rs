//! Operations of every window, real or counted: controllers of all profiles use these alone.

use crate::transport::congestion::event::{Loss, NewAck};
use enum_dispatch::enum_dispatch;

/// What every window does, real or counted.
#[enum_dispatch]
pub(crate) trait CongestionWindow {
    fn cwnd(&self) -> f64;

    fn ssthresh(&self) -> f64;

    fn set_cwnd(&mut self, cwnd: f64);

    fn set_ssthresh(&mut self, ssthresh: f64);

    /// Whole segments of the window.
    fn whole_cwnd(&self) -> u32 {
        self.cwnd() as u32
    }

    /// Counts what was acknowledged. To be called for every acknowledgment of new data, before the window grows.
    /// Returns whether it acknowledged the SYN, which sets a real window: the window must not grow then.
    fn count_acked(&mut self, ack: &NewAck<'_>) -> bool;

    fn in_slow_start(&self) -> bool;

    /// One segment more for an acknowledged segment.
    fn slow_start(&mut self);

    /// As Reno: slow start, or one segment more per window acknowledged.
    fn grow_as_reno(&mut self, ack: &NewAck<'_>);

    /// One of the `every` acknowledgments that add a segment.
    fn grow_once_per(&mut self, every: u32);

    /// Adds a part of a segment, up to the limit if there is one.
    fn add(&mut self, part: f64);

    /// The window that a loss reduces.
    fn loss_base(&self, loss: &Loss) -> f64;

    /// The share `retained` of a window, as this kind of window rounds it.
    fn share_of(&self, window: f64, retained: f64) -> f64;

    /// Whether a loss leaves `ssthresh`: a further timeout of a segment, by RFC 5681 section 3.1.
    fn keeps_ssthresh(&self, loss: &Loss) -> bool;

    /// Sets this `ssthresh` after a loss, in segments. After duplicate acknowledgments the window becomes `ssthresh`
    /// or, if it is counted, `in_recovery` where that is given; a timeout leaves one segment.
    fn cut(&mut self, loss: &Loss, ssthresh: f64, in_recovery: Option<f64>);

    /// Whether each end of recovery is reported. Outside of Linux's recovery an acknowledgment is the first sign of it.
    fn reports_recovery_exit(&self) -> bool;
}
