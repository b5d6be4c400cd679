//! BBRv3: a model of bandwidth and round-trip time as in BBRv1, bounded by what losses show.
//!
//! # Model
//! Bandwidth is the maximum of two cycles of probing. STARTUP doubles the rate until it grows by less than a quarter in three rounds,
//! or more than `loss_threshold` of a round is lost in six ranges; DRAIN empties the queue. A cycle then is DOWN (0.9 of the
//! bandwidth), CRUISE (1) for two to three seconds or as many round trips as Reno would need, REFILL (1, for a round) and UP (1.25).
//! UP ends on a plateau of the delivery rate, or on too many losses, which bound what is in flight for the cycles to come
//! (`inflight_long`). After that the next UP is cautious: it ends at that bound, and repeats at once if nothing was lost. Losses
//! outside of a probe bound rate and flight until the next one (`bw_short`, `inflight_short`). PROBE_RTT halves what is in flight for
//! 200 ms if the minimum round-trip time was not seen again for five seconds.
//!
//! # Source
//! draft-ietf-ccwg-bbr, text of August 2026.
//!
//! # Deviations
//! No undo of a recovery that was spurious: the sender does not detect them. ECN is ignored, as the draft leaves it open.
//!
//! # Parameters
//! Table `[stream.bbr3]`.

mod config;
mod control;
mod model;
mod phases;
mod state;

pub use config::Bbr3Config;
pub use state::Bbr3;

#[cfg(test)]
pub(crate) use state::Phase;
