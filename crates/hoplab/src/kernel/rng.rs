//! Random streams keyed by purpose and entity.
//!
//! Every random input has a stream of its own: adding a node, a flow or a trace shifts no other draw.
//! The generator is PCG-64 DXSM, seeded from BLAKE3 over (root seed, purpose, entity).

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Dxsm;

/// Use of a stream. The numbers are part of every fingerprint: a new use gets a new number, none is reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Backoff slots of a node's MAC.
    Backoff = 1,
    /// Jitter of a node's routing broadcasts.
    RoutingJitter = 2,
    /// Phase of a flow's coarse clock.
    TransportClock = 3,
    /// Intervals and starts of a flow's traffic.
    Traffic = 4,
    /// Start times spread over flows.
    StartTime = 5,
    /// Positions, destinations, speeds and pauses of a node.
    Mobility = 6,
    /// Position of a node in a random topology.
    Placement = 7,
    /// First timers of a node's feedback routers, and their own random draws.
    Feedback = 20,
    /// Ends and starts of generated flows.
    Pairs = 30,
    /// Failures and recoveries of a node's proxy.
    ProxyFailure = 40,
    /// Jitter of a port of a wire.
    WireJitter = 50,
    /// Losses of a port of a wire.
    WireLoss = 51,
    /// Drops of a queue discipline.
    Discipline = 52,
    /// Drops of a queue discipline of an access category but best effort: four entities per node.
    CategoryDiscipline = 61,
    /// Arrivals of a workload, and the ends of what arrives.
    WorkloadArrival = 53,
    /// Sizes and think times of a workload.
    WorkloadSize = 54,
    /// Random decisions of a flow's congestion control.
    Control = 55,
    /// Rates that a rate control samples.
    RateSampling = 60,
    /// Random numbers of the stack that is the ends of a flow.
    Stack = 70,
}

/// All streams of one run.
#[derive(Clone, Copy, Debug)]
pub struct RandomStreams {
    seed: u64,
}

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream(Pcg64Dxsm);

impl RandomStreams {
    /// Random streams of the run with this root seed.
    pub fn new(seed: u64) -> RandomStreams {
        RandomStreams { seed }
    }

    /// The stream for one purpose of one entity (a node, a flow), from its beginning.
    pub fn stream(&self, purpose: Purpose, entity: u32) -> RandomStream {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"hoplab stream 1");
        hasher.update(&self.seed.to_le_bytes());
        hasher.update(&(purpose as u32).to_le_bytes());
        hasher.update(&entity.to_le_bytes());
        RandomStream(Pcg64Dxsm::from_seed(*hasher.finalize().as_bytes()))
    }
}

impl RandomStream {
    /// Uniform integer in `[0, n)`, without bias (Lemire 2019).
    pub fn below(&mut self, n: u32) -> u32 {
        debug_assert!(n > 0);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(n);
            if product as u32 >= n.wrapping_neg() % n {
                return (product >> 32) as u32;
            }
        }
    }

    /// Uniform real in `[0, 1)`, with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A seed for a generator of another library.
    pub fn seed(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.0.fill_bytes(&mut seed);
        seed
    }

    /// Uniform real in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_stable_and_distinct() {
        let streams = RandomStreams::new(1);
        let draw = |purpose, entity| streams.stream(purpose, entity).below(1 << 31);
        assert_eq!(draw(Purpose::Backoff, 3), draw(Purpose::Backoff, 3));
        assert_ne!(draw(Purpose::Backoff, 3), draw(Purpose::Backoff, 4));
        assert_ne!(draw(Purpose::Backoff, 3), draw(Purpose::Traffic, 3));
        assert_ne!(draw(Purpose::Backoff, 3), RandomStreams::new(2).stream(Purpose::Backoff, 3).below(1 << 31));
    }

    #[test]
    fn slots_are_uniform() {
        let mut stream = RandomStreams::new(7).stream(Purpose::Backoff, 0);
        let mut counts = [0u32; 31];
        for _ in 0..310_000 {
            counts[stream.below(31) as usize] += 1;
        }
        // Chi-square with 30 degrees of freedom: 59.7 is the 0.1 % point.
        let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4) * (f64::from(c) - 1e4) / 1e4).sum();
        assert!(chi < 59.7, "chi-square {chi}");
    }

    #[test]
    fn unit_stays_below_one() {
        let mut stream = RandomStreams::new(7).stream(Purpose::Traffic, 0);
        let mean =
            (0..100_000).map(|_| stream.unit()).inspect(|&x| assert!((0.0..1.0).contains(&x))).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005);
    }
}
