//! Links as given: received power, delay and loss of each ordered pair of nodes, in place of positions and a propagation model.
//!
//! # Model
//! A pair that is not listed senses nothing. A change replaces its pair from its time on; the others keep their values. Loss
//! of a frame is `1 - delivery`, or `1 - delivery^(n / n0)` for a MAC frame of n bytes where delivery was measured with
//! frames of n0 bytes.

use crate::kernel::{RadioId, Span, Time};

/// A receiver of a node's frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedReceiver {
    /// The receiving radio.
    pub radio: RadioId,
    /// Propagation delay in nanoseconds.
    pub delay: u32,
    /// Received power in watts; the mean if each frame draws its own.
    pub power: f64,
}

/// What a pair is from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkChange {
    /// The sender.
    pub from: RadioId,
    /// From when on.
    pub at: Time,
    /// The receiver.
    pub to: RadioId,
    /// Power in watts and delay in nanoseconds; `None`: it senses nothing.
    pub link: Option<(f64, u32)>,
    /// Share of frames that arrive.
    pub delivery: Option<Delivery>,
}

/// Share of a link's frames that arrive without interference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// The share, 0 to 1.
    pub ratio: f64,
    /// Length of the frames that it was measured with, in bytes; 0 if it holds for all lengths.
    pub bytes: u32,
}

impl Delivery {
    /// All frames arrive.
    const ALL: Delivery = Delivery { ratio: 1.0, bytes: 0 };

    /// Probability that a MAC frame of this length is lost.
    pub fn loss(self, bytes: u32) -> f64 {
        if self.bytes == 0 || self.ratio <= 0.0 {
            return 1.0 - self.ratio;
        }
        -libm::expm1(f64::from(bytes) / f64::from(self.bytes) * libm::log(self.ratio))
    }
}

/// The links between all radios of a network.
#[derive(Debug, PartialEq)]
pub struct LinkTable {
    /// Receivers in order of delay, then number. The first rows are those of the radios at time zero.
    rows: Vec<Vec<ListedReceiver>>,
    /// By radio: from when on which row, the first from time zero. Empty if nothing changes.
    since: Vec<Vec<(Time, u32)>>,
    /// By receiver: sender, from when on, delivery; sorted.
    deliveries: Vec<Vec<(RadioId, Time, Delivery)>>,
}

/// The rows of all times need more memory than a run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyRows;

/// Maximum of receivers in all rows: 1 GiB.
const MAX_RECEIVERS: usize = (1 << 30) / size_of::<ListedReceiver>();

impl LinkTable {
    /// The table of so many radios. Each pair has at most one change at a time.
    ///
    /// # Errors
    /// If the rows of all times together exceed 1 GiB.
    pub fn new(radios: usize, mut changes: Vec<LinkChange>) -> Result<LinkTable, TooManyRows> {
        changes.sort_unstable_by_key(|change| (change.from, change.at, change.to));
        let mut rows: Vec<Vec<ListedReceiver>> = vec![Vec::new(); radios];
        let mut since: Vec<Vec<(Time, u32)>> = (0..radios as u32).map(|radio| vec![(Time::ZERO, radio)]).collect();
        let mut deliveries: Vec<Vec<(RadioId, Time, Delivery)>> = vec![Vec::new(); radios];
        let mut total = 0;
        for group in changes.chunk_by(|a, b| (a.from, a.at) == (b.from, b.at)) {
            let (from, at) = (group[0].from, group[0].at);
            let kept: Vec<ListedReceiver> = if at == Time::ZERO {
                Vec::new()
            } else {
                let before: &Vec<ListedReceiver> =
                    since[from.index()].last().map_or(&rows[0], |&(_, row)| &rows[row as usize]);
                let is_kept =
                    |old: &&ListedReceiver| group.binary_search_by_key(&old.radio, |change| change.to).is_err();
                before.iter().filter(is_kept).copied().collect()
            };
            let new = group.iter().filter_map(|change| {
                change.link.map(|(power, delay)| ListedReceiver { radio: change.to, delay, power })
            });
            let mut row: Vec<ListedReceiver> = kept.into_iter().chain(new).collect();
            row.sort_unstable_by_key(|receiver| (receiver.delay, receiver.radio));
            row.shrink_to_fit();
            total += row.len();
            if total > MAX_RECEIVERS {
                return Err(TooManyRows);
            }
            if at == Time::ZERO {
                rows[from.index()] = row;
            } else {
                since[from.index()].push((at, rows.len() as u32));
                rows.push(row);
            }
            for change in group {
                let of = &mut deliveries[change.to.index()];
                // Senders come in order, and the changes of one in order of time: those of a pair are at the end.
                let is_listed = of.last().is_some_and(|&(sender, ..)| sender == from);
                if change.delivery.is_some() || is_listed {
                    of.push((from, at, change.delivery.unwrap_or(Delivery::ALL)));
                }
            }
        }
        if since.iter().all(|times| times.len() == 1) {
            since.clear();
        }
        Ok(LinkTable { rows, since, deliveries })
    }

    /// Number of radios.
    pub fn radios(&self) -> usize {
        self.deliveries.len()
    }

    /// All rows of receivers, those of the nodes at time zero first.
    pub fn rows(&self) -> &[Vec<ListedReceiver>] {
        &self.rows
    }

    /// The sender of each row.
    pub fn senders(&self) -> Vec<RadioId> {
        let mut senders: Vec<RadioId> = (0..self.rows.len() as u32).map(RadioId).collect();
        for (radio, times) in (0..).map(RadioId).zip(&self.since) {
            for &(_, row) in times {
                senders[row as usize] = radio;
            }
        }
        senders
    }

    /// By node: from when on which row; empty if nothing changes.
    pub fn since(&self) -> &[Vec<(Time, u32)>] {
        &self.since
    }

    /// The row of a node at `now`.
    pub fn row_at(&self, radio: RadioId, now: Time) -> u32 {
        let Some(times) = self.since.get(radio.index()) else { return radio.0 };
        times[times.partition_point(|&(at, _)| at <= now) - 1].1
    }

    /// The receivers of a node at time zero.
    pub fn at_start(&self, radio: RadioId) -> &[ListedReceiver] {
        &self.rows[radio.index()]
    }

    /// Whether any link has a delivery ratio.
    pub fn has_deliveries(&self) -> bool {
        self.deliveries.iter().any(|of| !of.is_empty())
    }

    /// Delivery from a sender to a receiver at `now`.
    pub fn delivery(&self, from: RadioId, to: RadioId, now: Time) -> Delivery {
        let of = &self.deliveries[to.index()];
        let next = of.partition_point(|&(sender, at, _)| (sender, at) <= (from, now));
        of[..next].last().filter(|&&(sender, ..)| sender == from).map_or(Delivery::ALL, |&(.., delivery)| delivery)
    }

    /// Expected transmissions of a frame and its response over a link at time zero, by their delivery ratios as measured:
    /// ETX of De Couto et al., "A high-throughput path metric for multi-hop wireless routing" (MobiCom 2003). Infinite if
    /// nothing arrives.
    pub fn etx(&self, from: RadioId, to: RadioId) -> f64 {
        1.0 / (self.delivery(from, to, Time::ZERO).ratio * self.delivery(to, from, Time::ZERO).ratio)
    }

    /// Longest delay from a node to a receiver at any time.
    pub fn longest_delay(&self, radio: RadioId) -> Span {
        let later = self.since.get(radio.index()).into_iter().flatten().map(|&(_, row)| row as usize);
        let last = |row: usize| self.rows[row].last().map_or(0, |receiver| receiver.delay);
        let longest = later.map(last).fold(last(radio.index()), u32::max);
        Span(u64::from(longest))
    }

    /// BLAKE3 of everything, as hexadecimal digits.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |number: u64| {
            hasher.update(&number.to_le_bytes());
        };
        for row in &self.rows {
            add(row.len() as u64);
            for receiver in row {
                add(u64::from(receiver.radio.0) << 32 | u64::from(receiver.delay));
                add(receiver.power.to_bits());
            }
        }
        for times in &self.since {
            add(times.len() as u64);
            for &(at, row) in times {
                add(at.0);
                add(u64::from(row));
            }
        }
        for of in &self.deliveries {
            add(of.len() as u64);
            for &(from, at, delivery) in of {
                add(u64::from(from.0));
                add(at.0);
                add(delivery.ratio.to_bits());
                add(u64::from(delivery.bytes));
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: u32, at: u64, to: u32, link: Option<(f64, u32)>, ratio: Option<f64>) -> LinkChange {
        let delivery = ratio.map(|ratio| Delivery { ratio, bytes: 0 });
        LinkChange { from: RadioId(from), at: Time(at), to: RadioId(to), link, delivery }
    }

    #[test]
    fn rows_change_by_pair_and_time() {
        let table = LinkTable::new(
            3,
            vec![
                change(0, 50, 1, None, None),
                change(0, 0, 2, Some((1e-9, 900)), Some(0.5)),
                change(0, 0, 1, Some((2e-9, 300)), None),
                change(0, 80, 1, Some((3e-9, 950)), Some(0.25)),
                change(1, 0, 0, Some((1e-9, 300)), None),
            ],
        )
        .expect("a small table");
        let nodes = |row: usize| table.rows()[row].iter().map(|receiver| receiver.radio.0).collect::<Vec<_>>();
        assert_eq!((nodes(0), nodes(1), nodes(2)), (vec![1, 2], vec![0], vec![]));
        assert_eq!(table.since()[0], [(Time(0), 0), (Time(50), 3), (Time(80), 4)]);
        assert_eq!((nodes(3), nodes(4)), (vec![2], vec![2, 1]));
        assert_eq!((table.longest_delay(RadioId(0)), table.longest_delay(RadioId(1))), (Span(950), Span(300)));
        let ratio = |from, to, now| table.delivery(RadioId(from), RadioId(to), Time(now)).ratio;
        assert_eq!((ratio(0, 1, 79), ratio(0, 1, 80), ratio(0, 2, 80), ratio(2, 0, 0)), (1.0, 0.25, 0.5, 1.0));
        assert_eq!(table.etx(RadioId(2), RadioId(0)), 2.0);
    }

    #[test]
    fn delivery_is_measured_with_frames_of_a_length() {
        // Rows `delivery` of the oracle of the specification.
        for (ratio, frame, all, bits) in [
            (0.9, 20, 0.1, 0.020_852),
            (0.9, 74, 0.1, 0.075_005),
            (0.9, 1534, 0.1, 0.801_354),
            (0.5, 14, 0.5, 0.092_481),
            (0.5, 1534, 0.5, 0.999_976),
        ] {
            assert!((Delivery { ratio, bytes: 0 }.loss(frame) - all).abs() < 1e-12);
            let got = Delivery { ratio, bytes: 100 }.loss(frame);
            assert!((got - bits).abs() < 1e-6, "{ratio} {frame}: {got}");
        }
        assert_eq!(Delivery { ratio: 0.0, bytes: 100 }.loss(14), 1.0);
    }
}
