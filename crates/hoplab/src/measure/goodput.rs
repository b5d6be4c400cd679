//! Goodput intervals: the bytes that each flow delivers in each interval of the run (`goodput_interval`).

use super::view::RunView;
use crate::kernel::{FlowId, Span};

/// Goodput by flow and interval so far.
#[derive(Clone, Debug)]
pub struct GoodputSeries {
    interval: Span,
    /// Bits delivered by the end of the last interval, by flow.
    delivered: Vec<f64>,
    /// Bits per second, by flow and interval.
    rates: Vec<Vec<f64>>,
}

impl GoodputSeries {
    /// No intervals yet; `interval` is not zero.
    pub fn new(interval: Span, flows: usize) -> GoodputSeries {
        GoodputSeries { interval, delivered: vec![0.0; flows], rates: vec![Vec::new(); flows] }
    }

    /// Length of an interval.
    pub fn interval(&self) -> Span {
        self.interval
    }

    /// Bits per second by flow and interval.
    pub fn rates(&self) -> &[Vec<f64>] {
        &self.rates
    }

    /// The end of an interval.
    pub fn on_interval(&mut self, run: &RunView<'_>) {
        for (flow, (delivered, rates)) in (0..).map(FlowId).zip(self.delivered.iter_mut().zip(&mut self.rates)) {
            let bits = run.delivered_bits(flow);
            rates.push((bits - *delivered) / self.interval.secs());
            *delivered = bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Resolved;
    use crate::world::World;

    fn chain(keys: &str) -> Resolved {
        let text = format!(
            "duration = \"10 s\"\n{keys}\n[topology]\nkind = \"chain\"\nhops = 2\n[[flow]]\nstart = \"2 s\"\nstop = \"6 s\"\n"
        );
        Resolved::parse(&text, "chain.toml", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn intervals_sum_to_delivered_bits_and_change_nothing() {
        let run = |scenario: &Resolved| {
            let mut world = World::new(scenario, 1);
            world.run_until(scenario.end()).expect("a run");
            (world.report(scenario, 1, 0.0), world.ctx.trace.fingerprints())
        };
        let (plain, before) = run(&chain(""));
        let (counted, after) = run(&chain("goodput_interval = \"1 s\""));
        assert_eq!((plain.goodput_series_bps.len(), before), (0, after));
        let rates = &counted.goodput_series_bps[0];
        assert_eq!(rates.len(), 10);
        assert!(rates[..2].iter().all(|rate| *rate == 0.0) && rates[2..6].iter().all(|rate| *rate > 1e5), "{rates:?}");
        assert!(rates[7..].iter().all(|rate| *rate == 0.0));
        let total = plain.flows[0].goodput_bps * 8.0;
        assert!((rates.iter().sum::<f64>() - total).abs() < 1.0, "{rates:?} and not {total}");
    }
}
