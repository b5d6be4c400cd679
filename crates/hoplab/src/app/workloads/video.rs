//! Viewers of a video, each over one connection: a viewer asks for one segment after another at a rate that follows from what is
//! buffered (BBA-0, Huang et al., SIGCOMM 2014, section 4), or at a constant one, and plays them.
//!
//! The receivers of the data are the viewers. The ladder where none is given is that of 0.3 to 4.8 Mb/s in even ratios, assumed.

use super::kind::{ASK, DrawnFlow, SessionPlan, Setting, Workload, members};
use super::session::{Act, Action, Session, SessionReport, Times, at};
use crate::kernel::{End, Rate, Span, Time};

/// Rates of the video, in bits per second.
const LADDER: [f64; 5] = [0.3e6, 0.6e6, 1.2e6, 2.4e6, 4.8e6];
/// Playing time of a segment.
const SEGMENT: Span = Span::from_millis(4_000);

pub(super) struct VideoViewers;

impl Workload for VideoViewers {
    const SUMMARY: &'static str = "viewers of a video at a rate that follows from their buffer";
    const KEYS: &'static [&'static str] = &["count", "start_spread", "ask", "ladder", "segment_time"];
    const NEEDS: &'static [(&'static [&'static str], &'static str)] = &[];

    fn flows(setting: &mut Setting<'_>) -> Vec<DrawnFlow> {
        members(setting, 1)
    }

    fn session(plan: SessionPlan<'_>) -> Option<Box<dyn Session + Send>> {
        let keys = plan.keys;
        let mut ladder = keys.ladder.clone().unwrap_or_else(|| LADDER.map(Rate).to_vec());
        ladder.sort_by(|a, b| a.0.total_cmp(&b.0));
        let rules = VideoRules {
            ask: u64::from(keys.ask.unwrap_or(ASK).0),
            ladder,
            segment: keys.segment_time.unwrap_or(SEGMENT),
            stop: plan.stop,
        };
        Some(Box::new(Playback::new(rules)))
    }
}

/// Parameters of a video.
#[derive(Clone, Debug)]
struct VideoRules {
    /// Bytes of a request.
    ask: u64,
    /// Rates of the video, ascending; one for a constant rate.
    ladder: Vec<Rate>,
    /// Playing time of a segment.
    segment: Span,
    /// When no further segment is requested.
    stop: Time,
}

/// Below this much video in the buffer the lowest rate is requested; above `CUSHION` the highest. Assumed.
const RESERVOIR: Span = Span::from_millis(8_000);
const CUSHION: Span = Span::from_millis(24_000);
/// No segment is requested that would exceed this much.
pub const VIDEO_BUFFER: Span = Span::from_millis(30_000);

#[derive(Debug)]
struct Playback {
    rules: VideoRules,
    /// Index of the rate of the last request.
    level: usize,
    asked: u64,
    answered: u64,
    is_waiting: bool,
    is_answered: bool,
    next: Option<Time>,
    started: Time,
    /// Video that is buffered, at `at`.
    buffer: Span,
    at: Time,
    is_playing: bool,
    startup: Option<Span>,
    stalls: u32,
    stalled: Span,
    played: Span,
    switches: u32,
    segments: u32,
    /// Sum of rates of all segments received.
    rates: f64,
}

impl Playback {
    fn new(rules: VideoRules) -> Playback {
        Playback {
            rules,
            level: 0,
            asked: 0,
            answered: 0,
            is_waiting: false,
            is_answered: false,
            next: None,
            started: Time::ZERO,
            buffer: Span::ZERO,
            at: Time::ZERO,
            is_playing: false,
            startup: None,
            stalls: 0,
            stalled: Span::ZERO,
            played: Span::ZERO,
            switches: 0,
            segments: 0,
            rates: 0.0,
        }
    }

    /// Buffer, playing time, stalls and stalled time at `now`.
    fn played_until(&self, now: Time) -> (Span, Span, u32, Span) {
        let passed = now.since(self.at);
        if !self.is_playing {
            let stalled = if self.startup.is_some() { passed } else { Span::ZERO };
            return (self.buffer, self.played, self.stalls, self.stalled + stalled);
        }
        if passed <= self.buffer {
            return (Span(self.buffer.0 - passed.0), self.played + passed, self.stalls, self.stalled);
        }
        let stalled = Span(passed.0 - self.buffer.0);
        (Span::ZERO, self.played + self.buffer, self.stalls + 1, self.stalled + stalled)
    }

    fn play(&mut self, now: Time) {
        let was_playing = self.is_playing;
        let (buffer, played, stalls, stalled) = self.played_until(now);
        self.is_playing = was_playing && stalls == self.stalls;
        (self.buffer, self.played, self.stalls, self.stalled) = (buffer, played, stalls, stalled);
        self.at = now;
    }

    /// The rate for the next segment: linear in the buffer between reservoir and cushion; changes only past a neighbor's rate.
    fn choose(&self) -> usize {
        let ladder = &self.rules.ladder;
        let last = ladder.len() - 1;
        if self.buffer <= RESERVOIR {
            return 0;
        }
        if self.buffer >= CUSHION {
            return last;
        }
        let share = (self.buffer.0 - RESERVOIR.0) as f64 / (CUSHION.0 - RESERVOIR.0) as f64;
        let wanted = ladder[0].0 + share * (ladder[last].0 - ladder[0].0);
        let (above, below) = ((self.level + 1).min(last), self.level.saturating_sub(1));
        if wanted >= ladder[above].0 && above > self.level {
            ladder.iter().rposition(|rate| rate.0 < wanted).unwrap_or(0)
        } else if wanted <= ladder[below].0 && below < self.level {
            ladder.iter().position(|rate| rate.0 > wanted).unwrap_or(last)
        } else {
            self.level
        }
    }

    fn request(&mut self, now: Time, out: &mut Vec<Action>) {
        self.play(now);
        self.next = None;
        if now >= self.rules.stop {
            return;
        }
        if self.buffer + self.rules.segment > VIDEO_BUFFER {
            let over = Span((self.buffer + self.rules.segment).0 - VIDEO_BUFFER.0);
            self.next = Some(now + over);
            return;
        }
        let level = if self.segments == 0 { 0 } else { self.choose() };
        self.switches += u32::from(level != self.level && self.segments > 0);
        self.level = level;
        self.asked += self.rules.ask;
        (self.is_waiting, self.is_answered) = (true, false);
        out.push(at(0, End::Sink, Act::Supply(self.rules.ask)));
    }

    fn segment_bytes(&self) -> u64 {
        ((self.rules.ladder[self.level].0 * self.rules.segment.secs() / 8.0) as u64).max(1)
    }
}

impl Session for Playback {
    fn on_start(&mut self, now: Time, out: &mut Vec<Action>) {
        (self.started, self.at) = (now, now);
        out.push(at(0, End::Sink, Act::Open));
        self.request(now, out);
    }

    fn on_deadline(&mut self, now: Time, out: &mut Vec<Action>) {
        if self.next.is_some_and(|next| next <= now) {
            self.request(now, out);
        }
    }

    fn deadline(&self) -> Option<Time> {
        self.next
    }

    fn on_arrival(&mut self, now: Time, _member: usize, end: End, total: u64, out: &mut Vec<Action>) {
        match end {
            End::Source if self.is_waiting && !self.is_answered && total >= self.asked => {
                self.is_answered = true;
                self.answered += self.segment_bytes();
                out.push(at(0, End::Source, Act::Supply(self.segment_bytes())));
            }
            End::Sink if self.is_waiting && self.is_answered && total >= self.answered => {
                self.play(now);
                self.is_waiting = false;
                self.buffer += self.rules.segment;
                self.segments += 1;
                self.rates += self.rules.ladder[self.level].0;
                self.is_playing = true;
                self.startup.get_or_insert(now.since(self.started));
                self.request(now, out);
            }
            End::Source | End::Sink => {}
        }
    }

    fn report(&self, now: Time) -> SessionReport {
        let (_, played, stalls, stalled) = self.played_until(now);
        let mut report = SessionReport::default();
        let secs = self.startup.map(Span::secs).into_iter().collect();
        report.times.insert("startup", Times { secs, unfinished: u64::from(self.startup.is_none()) });
        // A viewer who has received no segment has seen neither a stall nor a switch: zeros would read as perfect video.
        if self.segments > 0 {
            let watched = played.secs() + stalled.secs();
            report.values.insert("stalls", f64::from(stalls));
            report.values.insert("stalled_share", if watched > 0.0 { stalled.secs() / watched } else { 0.0 });
            report.values.insert("switches", f64::from(self.switches));
            report.values.insert("video_bps", self.rates / f64::from(self.segments));
        }
        report
    }
}
