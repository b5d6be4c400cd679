//! DCF, observers: what they are shown of the frames of this station and of those that it decodes.

use super::station::Mac;
use crate::kernel::Time;
use crate::mac::MacCtx;
use crate::mac::observer::{Content, Role};
use crate::packet::{Category, Frame, FrameKind};

impl Mac {
    /// Shows a frame to the observers; where stations aggregate, with what it says of packets.
    #[inline]
    pub(super) fn show_frame(&mut self, cx: &MacCtx<'_>, role: Role, frame: &Frame) {
        if self.observers.is_empty() {
            return;
        }
        match self.content(cx, role, frame) {
            Some(content) => self.observers.on_content(cx.ctx.now, role, frame, &content),
            None => self.observers.on_frame(cx.ctx.now, role, frame),
        }
    }

    fn content(&self, cx: &MacCtx<'_>, role: Role, frame: &Frame) -> Option<Content> {
        let rules = self.aggregation.as_ref()?.originator.rules();
        let is_single = frame.kind == FrameKind::Data;
        match frame.kind {
            FrameKind::Data | FrameKind::Aggregate if !frame.is_broadcast() && !frame.is_probe() => {
                let all_are = is_single || role == Role::Sent;
                let read = if all_are { u64::MAX } else { cx.medium.read_mpdus(self.radio) };
                let aggregate = cx.medium.aggregate(frame.ta);
                let mut content = Content::of(aggregate, rules, |index, _| read >> index & 1 == 1);
                let decoded = aggregate.mpdus().iter().enumerate().filter(|(index, _)| read >> index & 1 == 1);
                let packets = decoded.flat_map(|(_, mpdu)| aggregate.packets(mpdu));
                let mut records = packets.map(|packet| cx.ctx.packet(*packet).record());
                content.record = records.rfind(|record| *record != 0).unwrap_or(0);
                Some(content)
            }
            FrameKind::BlockAck => {
                let block_ack = cx.medium.aggregate(frame.ta).block_ack;
                Some(Content::of(cx.medium.aggregate(frame.ra), rules, |_, mpdu| block_ack.has(mpdu.seq)))
            }
            _ => None,
        }
    }

    /// A packet of the selected category comes into service, or the last of its service is gone.
    pub(super) fn note_service(&mut self, now: Time, is_begun: bool) {
        let category = self.selected().unwrap_or(Category::BestEffort);
        self.observers.on_service(now, category, is_begun);
    }
}
