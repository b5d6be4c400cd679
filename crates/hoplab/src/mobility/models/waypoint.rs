//! Random waypoint: straight legs to uniform positions at random speeds, with a pause after each.
//!
//! # Model
//! Area `[0, a] x [0, b]`. Destinations are uniform in it, speeds uniform in `[min_speed, max_speed]`, pauses constant
//! or uniform in `[0, 2 pause]`. Variants differ in the initial state of a node ([`Init`]). Each node has its own random
//! stream.
//!
//! # Source
//! Le Boudec and Vojnovic 2005 and Navidi and Camp 2004 for the stationary start; ns-2.35 `setdest -v 1` and `-v 2` for
//! the other two.
//!
//! # Deviations
//! `uniform` allows a minimum speed and uniform pauses, which `setdest -v 1` lacks. A speed of exactly zero, with which a node
//! would never arrive, is drawn again.
//!
//! # Parameters
//! `area`, `min_speed`, `max_speed`, `pause`, `pause_kind`, `init` of table `[mobility]`: see `config.rs`.

use crate::kernel::{NodeId, Purpose, RandomStream, RandomStreams, Span, Time};
use crate::mobility::init::{Init, PauseKind};
use crate::mobility::trajectory::{Path, Point, Trajectory};

/// A random waypoint model with its parameters, checked by [`crate::mobility::MobilityConfig::check`].
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoint {
    /// Sides of the area, in metres.
    pub area: Point,
    /// Minimum speed in m/s; positive unless `init` is `uniform` or `topology`.
    pub min_speed: f64,
    /// Maximum speed in m/s.
    pub max_speed: f64,
    /// Mean pause, in seconds.
    pub pause: f64,
    /// How pauses are distributed.
    pub pause_kind: PauseKind,
    /// How nodes start.
    pub init: Init,
}

/// The first phase of a node.
enum Phase {
    Pause(f64),
    Go(Point, f64),
}

impl Waypoint {
    /// Trajectory of a node; the last leg and its pause end at or after `until`.
    pub fn trajectory(&self, streams: RandomStreams, node: NodeId, until: Time) -> Trajectory {
        self.trajectory_from(None, streams, node, until)
    }

    /// The trajectory from a given position, with a whole pause first; `None`: by `init`.
    pub(super) fn trajectory_from(
        &self,
        place: Option<Point>,
        streams: RandomStreams,
        node: NodeId,
        until: Time,
    ) -> Trajectory {
        let mut stream = streams.stream(Purpose::Mobility, node.0);
        let (start, first) = match place {
            Some(place) => (place, Phase::Pause(self.pause(&mut stream))),
            None => self.begin(&mut stream),
        };
        let mut path = Path::at(start.0, start.1);
        let mut t = match first {
            Phase::Pause(secs) => Time::ZERO + Span::from_secs(secs),
            Phase::Go(to, speed) => self.leg(&mut path, &mut stream, Time::ZERO, to, speed),
        };
        while t < until {
            let to = self.anywhere(&mut stream);
            let speed = self.speed(&mut stream);
            t = self.leg(&mut path, &mut stream, t, to, speed);
        }
        path.finish()
    }

    /// A uniform position for a stationary node: the first draw of its stream.
    pub fn place(&self, streams: &RandomStreams, node: NodeId) -> Point {
        self.anywhere(&mut streams.stream(Purpose::Mobility, node.0))
    }

    /// Whether a position is inside of the area.
    pub(super) fn has(&self, (x, y): Point) -> bool {
        (0.0..=self.area.0).contains(&x) && (0.0..=self.area.1).contains(&y)
    }

    /// Share of time that a node pauses, in the long run.
    pub fn pause_share(&self) -> f64 {
        self.pause / self.cycle()
    }

    /// Mean speed over time in m/s, pauses included, in the long run; zero if the minimum speed is zero.
    pub fn mean_speed(&self) -> f64 {
        mean_leg(self.area.0, self.area.1) / self.cycle()
    }

    /// Upper bound of the expected number of legs of a node within `secs`.
    pub(super) fn most_legs(&self, secs: f64) -> f64 {
        1.0 + secs / (mean_leg(self.area.0, self.area.1) / self.max_speed + self.pause)
    }

    /// Mean time of a leg and the pause after it.
    fn cycle(&self) -> f64 {
        mean_leg(self.area.0, self.area.1) * mean_slowness(self.min_speed, self.max_speed) + self.pause
    }

    fn begin(&self, stream: &mut RandomStream) -> (Point, Phase) {
        match self.init {
            Init::Uniform | Init::Topology => (self.anywhere(stream), Phase::Pause(self.pause(stream))),
            Init::Setdest2 => {
                let start = self.anywhere(stream);
                if stream.unit() < self.pause_share() {
                    return (start, Phase::Pause(self.pause(stream)));
                }
                let to = self.anywhere(stream);
                (start, Phase::Go(to, self.speed_in_time(stream)))
            }
            Init::Stationary => {
                if stream.unit() < self.pause_share() {
                    return (self.anywhere(stream), Phase::Pause(self.rest_of_pause(stream)));
                }
                let (from, to) = self.long_leg(stream);
                let share = stream.unit();
                let start = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
                (start, Phase::Go(to, self.speed_in_time(stream)))
            }
        }
    }

    /// Adds a leg to `to`. Returns when the pause there ends.
    fn leg(&self, path: &mut Path, stream: &mut RandomStream, t: Time, to: Point, speed: f64) -> Time {
        let arrival = path.go(t, to, speed);
        // Time advances even if both positions are equal.
        arrival.max(t + Span(1)) + Span::from_secs(self.pause(stream))
    }

    fn anywhere(&self, stream: &mut RandomStream) -> Point {
        let x = stream.between(0.0, self.area.0);
        (x, stream.between(0.0, self.area.1))
    }

    /// End points of a leg at a random time: their probability is proportional to its length.
    fn long_leg(&self, stream: &mut RandomStream) -> (Point, Point) {
        let diagonal = libm::hypot(self.area.0, self.area.1);
        loop {
            let (from, to) = (self.anywhere(stream), self.anywhere(stream));
            if stream.unit() * diagonal < libm::hypot(to.0 - from.0, to.1 - from.1) {
                return (from, to);
            }
        }
    }

    /// Speed of a leg.
    fn speed(&self, stream: &mut RandomStream) -> f64 {
        loop {
            let speed = stream.between(self.min_speed, self.max_speed);
            if speed > 0.0 {
                return speed;
            }
        }
    }

    /// Speed at a random time: slow legs last longer, the density is proportional to 1 / v.
    fn speed_in_time(&self, stream: &mut RandomStream) -> f64 {
        self.min_speed * libm::pow(self.max_speed / self.min_speed, stream.unit())
    }

    fn pause(&self, stream: &mut RandomStream) -> f64 {
        match self.pause_kind {
            PauseKind::Constant => self.pause,
            PauseKind::Uniform => stream.between(0.0, 2.0 * self.pause),
        }
    }

    /// Rest of a pause at a random time within it.
    fn rest_of_pause(&self, stream: &mut RandomStream) -> f64 {
        match self.pause_kind {
            PauseKind::Constant => stream.between(0.0, self.pause),
            // Density proportional to 1 - x / 2P.
            PauseKind::Uniform => 2.0 * self.pause * (1.0 - libm::sqrt(stream.unit())),
        }
    }
}

/// Mean distance of two uniform positions in a rectangle, in the unit of its sides.
pub fn mean_leg(a: f64, b: f64) -> f64 {
    let (a2, b2) = (a * a, b * b);
    let c = libm::hypot(a, b);
    let powers = a2 * a / b2 + b2 * b / a2 + c * (3.0 - a2 / b2 - b2 / a2);
    let logs = b2 / a * libm::acosh(c / b) + a2 / b * libm::acosh(c / a);
    powers / 15.0 + logs / 6.0
}

/// Mean of 1 / v for speeds uniform in `[min, max]`; infinite if `min` is zero.
pub fn mean_slowness(min: f64, max: f64) -> f64 {
    if min == max { 1.0 / min } else { libm::log1p((max - min) / min) / (max - min) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::trajectory::Cursor;

    fn model(area: Point, speeds: Point, pause: f64, pause_kind: PauseKind, init: Init) -> Waypoint {
        Waypoint { area, min_speed: speeds.0, max_speed: speeds.1, pause, pause_kind, init }
    }

    /// The values of docs/specs/waypoint.md section 1.
    #[test]
    fn closed_forms_equal_the_specified_values() {
        for (a, b, mean) in [
            (1000.0, 1000.0, 521.405_433),
            (850.0, 850.0, 443.194_618),
            (1500.0, 300.0, 524.639_220),
            (300.0, 1500.0, 524.639_220),
            (1500.0, 500.0, 555.636_047),
            (1500.0, 4800.0, 1_760.919_491),
        ] {
            assert!((mean_leg(a, b) - mean).abs() < 1e-6, "{a} x {b}: {}", mean_leg(a, b));
        }
        for (min, max, slowness, speed) in [
            (10.0, 30.0, 0.054_930_61, 18.204_785),
            (5.0, 45.0, 0.054_930_61, 18.204_785),
            (1.0, 5.0, 0.402_359_48, 2.485_340),
        ] {
            assert!((mean_slowness(min, max) - slowness).abs() < 1e-8);
            let model = model((1000.0, 1000.0), (min, max), 0.0, PauseKind::Constant, Init::Stationary);
            assert!((model.mean_speed() - speed).abs() < 1e-6, "{}", model.mean_speed());
        }
        assert_eq!(mean_slowness(20.0, 20.0), 0.05);
        assert!((mean_slowness(20.0, 20.0 + 1e-9) - 0.05).abs() < 1e-9);
        assert_eq!(mean_slowness(0.0, 10.0), f64::INFINITY);
        let model = model((1500.0, 500.0), (5.0, 45.0), 60.0, PauseKind::Constant, Init::Stationary);
        assert!((model.pause_share() - 0.662_826).abs() < 1e-6);
        assert!((model.mean_speed() - 6.138_171).abs() < 1e-6);
    }

    const NODES: u32 = 4000;
    const DURATION: f64 = 600.0;

    /// Over `NODES` nodes, at the start and later: share of nodes pausing, mean speed, and mean squared distance from
    /// the center relative to that of uniform positions.
    fn snapshots(model: &Waypoint, times: &[f64]) -> Vec<[f64; 3]> {
        let streams = RandomStreams::new(1);
        let mut sums = vec![[0.0; 3]; times.len()];
        let (a, b) = model.area;
        for node in 0..NODES {
            let trajectory = model.trajectory(streams, NodeId(node), Time::from_secs(DURATION));
            let mut cursor = Cursor::default();
            for (&t, [pausing, speed, spread]) in times.iter().zip(&mut sums) {
                let course = trajectory.course_from(&mut cursor, Time::from_secs(t));
                let v = libm::hypot(course.velocity.0, course.velocity.1);
                let (dx, dy) = (course.position.0 - a / 2.0, course.position.1 - b / 2.0);
                *pausing += f64::from(u8::from(v == 0.0));
                *speed += v;
                *spread += (dx * dx + dy * dy) / ((a * a + b * b) / 12.0);
            }
        }
        sums.into_iter().map(|sum| sum.map(|value| value / f64::from(NODES))).collect()
    }

    const TIMES: [f64; 6] = [0.0, 3.0, 20.0, 100.0, 300.0, 599.0];

    #[test]
    fn stationary_start_keeps_its_distribution() {
        for pause_kind in [PauseKind::Constant, PauseKind::Uniform] {
            for pause in [0.0, 20.0] {
                let model = model((1000.0, 400.0), (2.0, 30.0), pause, pause_kind, Init::Stationary);
                let seen = snapshots(&model, &TIMES);
                // Four standard errors: of a share 0.032, of the speed 0.5 m/s, of the spread 0.05.
                let late = seen[5][2];
                for (t, [pausing, speed, spread]) in TIMES.iter().zip(&seen) {
                    assert!((pausing - model.pause_share()).abs() < 0.032, "pause {pause}, {t} s: {pausing} pause");
                    assert!((speed - model.mean_speed()).abs() < 0.5, "pause {pause}, {t} s: {speed} m/s");
                    assert!((spread - late).abs() < 0.07, "pause {pause}, {t} s: {spread} spread, later {late}");
                }
                // Moving nodes are nearer to the middle than uniform ones.
                assert!(late < 0.93, "{late}");
            }
        }
    }

    /// At a random time half of a constant pause is left, and a third of the longest uniform one.
    #[test]
    fn rest_of_a_pause_has_the_residual_mean() {
        for (pause_kind, mean) in [(PauseKind::Constant, 5.0), (PauseKind::Uniform, 20.0 / 3.0)] {
            let model = model((100.0, 100.0), (1.0, 1.0), 10.0, pause_kind, Init::Stationary);
            let mut stream = RandomStreams::new(3).stream(Purpose::Mobility, 0);
            let sum: f64 = (0..40_000).map(|_| model.rest_of_pause(&mut stream)).sum();
            assert!((sum / 40_000.0 - mean).abs() < 0.1, "{}", sum / 40_000.0);
        }
    }

    #[test]
    fn setdest2_starts_with_long_run_speed() {
        let model = model((1000.0, 400.0), (2.0, 30.0), 20.0, PauseKind::Constant, Init::Setdest2);
        let seen = snapshots(&model, &TIMES);
        let [pausing, speed, spread] = seen[0];
        assert!((pausing - model.pause_share()).abs() < 0.032);
        assert!((speed - model.mean_speed()).abs() < 0.5);
        assert!((spread - 1.0).abs() < 0.05, "{spread}");
    }

    #[test]
    fn uniform_start_pauses_first_and_then_slows_down() {
        let model = model((500.0, 500.0), (0.0, 10.0), 5.0, PauseKind::Constant, Init::Uniform);
        let seen = snapshots(&model, &[0.0, 4.999, 5.0, 100.0, 300.0, 599.0]);
        assert_eq!((seen[0][0], seen[1][0], seen[2][0]), (1.0, 1.0, 0.0));
        assert!((seen[2][1] - 5.0).abs() < 0.2, "{}", seen[2][1]);
        assert!(seen[3][1] < 3.5 && seen[4][1] < seen[3][1] && seen[5][1] < seen[4][1] * 1.05, "{seen:?}");
        assert_eq!((model.mean_speed(), model.pause_share()), (0.0, 0.0));
    }

    #[test]
    fn nodes_stay_within_area_and_speeds() {
        for init in [Init::Uniform, Init::Setdest2, Init::Stationary] {
            let model = model((1500.0, 300.0), (20.0, 20.0), 0.0, PauseKind::Constant, init);
            for node in 0..50 {
                let trajectory = model.trajectory(RandomStreams::new(9), NodeId(node), Time::from_secs(DURATION));
                let ((left, bottom), (right, top)) = trajectory.bounding_box();
                assert!(left >= 0.0 && bottom >= 0.0 && right <= 1500.0 && top <= 300.0);
                assert!((trajectory.max_speed() - 20.0).abs() < 1e-6 && !trajectory.has_jumps());
                let last = trajectory.legs().last().expect("a leg");
                assert!(last.t1 >= Time::from_secs(DURATION) && last.t0 < Time::from_secs(DURATION));
            }
        }
    }

    #[test]
    fn trajectory_depends_on_seed_and_node_alone() {
        let model = model((1000.0, 1000.0), (1.0, 5.0), 2.0, PauseKind::Uniform, Init::Stationary);
        let trajectory =
            |seed, node, secs| model.trajectory(RandomStreams::new(seed), NodeId(node), Time::from_secs(secs));
        assert_eq!(trajectory(1, 7, 300.0), trajectory(1, 7, 300.0));
        assert_ne!(trajectory(1, 7, 300.0), trajectory(1, 8, 300.0));
        assert_ne!(trajectory(1, 7, 300.0), trajectory(2, 7, 300.0));
        let (short, long) = (trajectory(1, 7, 300.0), trajectory(1, 7, 900.0));
        assert_eq!(short.legs(), &long.legs()[..short.legs().len()], "a longer run has the same first legs");
    }
}
