//! IdleGap: available bandwidth as the data rate times the share of time without NAV and own exchanges.
//!
//! # Model
//! The NAV and the node's own exchanges are busy time; all other time since the start of the run is idle.
//! # Source
//! Lee 2007 (docs/specs/rt-winf.md section 8).
//! # Deviations
//! It measures no capacity: the same product takes its place.
//! # Parameters
//! Table `[idle_gap]`.

use super::busy_time::BusyTime;
use super::channel_observer::{ChannelObserver, Role};
use super::setup::{EngineObserver, ObserverSetup};
use crate::kernel::{RadioId, Rate, Span, Time};
use crate::packet::{Frame, FrameKind, LinkEstimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[idle_gap]` of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdleGapConfig {
    /// Whether every node has the observer.
    pub everywhere: bool,
    /// Rate that an idle medium is taken to carry. Default: the data rate of the node's MAC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

/// IdleGap at one node.
#[derive(Debug)]
pub struct IdleGap {
    radio: RadioId,
    /// Bytes per second.
    rate: f64,
    busy: BusyTime,
}

impl EngineObserver for IdleGap {
    const PAGE: &'static str = "idle_gap";
    type Config = IdleGapConfig;

    fn build(config: &IdleGapConfig, setup: &ObserverSetup<'_>) -> IdleGap {
        let rate = config.rate.unwrap_or(setup.timing.config.data_rate);
        IdleGap { radio: setup.radio, rate: rate.0 / 8.0, busy: BusyTime::default() }
    }
}

impl ChannelObserver for IdleGap {
    fn on_frame(&mut self, now: Time, role: Role, frame: &Frame) {
        let answered = Span::from_micros(u64::from(frame.duration));
        if frame.kind == FrameKind::CfEnd {
            self.busy.cut(now);
        }
        match role {
            Role::Sent => self.busy.cover(now, now + frame.airtime + answered),
            Role::Received if frame.ra == self.radio && frame.kind.is_data() => {
                // Without RTS and CTS no own frame and no NAV covers it.
                self.busy.recall(now, Time(now.0.saturating_sub(frame.airtime.0)));
                self.busy.cover(now, now + answered);
            }
            Role::Received => {}
        }
    }

    fn on_nav(&mut self, now: Time, until: Time) {
        self.busy.set_nav(now, until);
    }

    fn link(&self, now: Time, _window: Span) -> Option<LinkEstimate> {
        let elapsed = now.since(Time::ZERO).secs();
        let idle = if elapsed > 0.0 { 1.0 - self.busy.total(now).secs() / elapsed } else { 1.0 };
        let available = self.rate * idle.max(0.0);
        Some(LinkEstimate { capacity: available, available })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nav_and_own_exchanges_are_busy_time() {
        let mut gap = IdleGap { radio: RadioId(0), rate: 1000.0, busy: BusyTime::default() };
        let available = |gap: &IdleGap, at: f64| {
            let link = gap.link(Time::from_secs(at), Span::ZERO).expect("an estimate");
            assert_eq!(link.capacity, link.available);
            link.available
        };
        assert_eq!(available(&gap, 0.0), 1000.0);
        gap.on_nav(Time::ZERO, Time::from_secs(0.4));
        assert!((available(&gap, 1.0) - 600.0).abs() < 1e-6);
        let frame = Frame {
            airtime: Span::from_millis(50),
            duration: 50_000,
            ..Frame::blank(FrameKind::Rts, RadioId(0), RadioId(1))
        };
        gap.on_frame(Time::from_secs(1.0), Role::Received, &frame);
        assert!((available(&gap, 2.0) - 800.0).abs() < 1e-6, "an overheard frame counts by its NAV alone");
        gap.on_frame(Time::from_secs(1.0), Role::Sent, &frame);
        assert!((available(&gap, 2.0) - 750.0).abs() < 1e-6);
    }
}
