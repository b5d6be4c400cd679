//! Loss by link: every frame is corrupted with the probability that follows from the delivery ratio of its link.

use crate::phy::config::RadioConfig;
use crate::phy::errors::error_model::{Arrival, ErrorModel};
use crate::phy::links::LinkTable;
use std::sync::Arc;

/// Delivery ratios of `topology.kind = "links"`.
#[derive(Clone, Debug)]
pub struct Links {
    table: Option<Arc<LinkTable>>,
}

impl ErrorModel for Links {
    const SUMMARY: &'static str = "every frame by the delivery ratio of its link";
    const KEYS: &'static [&'static str] = &[];

    fn new(config: &RadioConfig, _: usize) -> Self {
        Links { table: config.links.clone() }
    }

    fn loss(&mut self, arrival: Arrival<'_>, _: f64) -> f64 {
        let Arrival { now, frame, dst, .. } = arrival;
        self.table.as_ref().map_or(0.0, |table| table.delivery(frame.ta, dst, now).loss(frame.bytes))
    }
}
