//! Pending events that are not next: by the moment in which they fall, unsorted.
//!
//! A wheel of moments for the next tenth of a second, a 4-ary heap for what comes later. Most timers of a MAC come and go
//! within the wheel, where either costs a push or a removal; a moment is sorted once it is next.

/// Keys (see [`super::queue`]) that are not among the next ones.
#[derive(Debug)]
pub(super) struct Far {
    /// Keys of each moment from `base` on, at the moment's number modulo [`MOMENTS`].
    wheel: Vec<Vec<u128>>,
    /// One bit for each part of the wheel that is not empty.
    occupied: [u64; WORDS],
    base: u64,
    /// Number of keys in the wheel.
    in_wheel: usize,
    /// Keys of later moments.
    heap: Vec<u128>,
}

/// Where a key is, so that it can be removed: in the heap, or in a part of the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// A moment lasts 2^16 ns, 65.5 us.
const MOMENT_BITS: u32 = 16;
const MOMENTS: usize = 1024;
const WORDS: usize = MOMENTS / 64;
/// Of a place in the wheel: bits of the position within its part. A fuller part is left alone.
const POSITION_BITS: u32 = 20;
const IN_HEAP: u32 = 1 << 31;
const ARITY: usize = 4;

fn moment(key: u128) -> u64 {
    (key >> (64 + MOMENT_BITS)) as u64
}

impl Default for Far {
    fn default() -> Self {
        Far { wheel: vec![Vec::new(); MOMENTS], occupied: [0; WORDS], base: 0, in_wheel: 0, heap: Vec::new() }
    }
}

impl Far {
    pub(super) fn len(&self) -> usize {
        self.in_wheel + self.heap.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &u128> {
        self.wheel.iter().flatten().chain(&self.heap)
    }

    /// Lets the wheel begin at the moment of a key before which none will come; keys of earlier ones are kept, but in the
    /// heap. A wheel that is not empty does not go back.
    pub(super) fn begin_at(&mut self, key: u128) {
        if self.in_wheel == 0 {
            self.base = moment(key);
        } else {
            self.base = self.base.max(moment(key));
        }
    }

    /// Keeps a key; `moved` learns where it is, and whichever others have changed their places.
    pub(super) fn insert(&mut self, key: u128, mut moved: impl FnMut(u128, Place)) {
        let moment = moment(key);
        let part = moment as usize % MOMENTS;
        let is_soon = moment.wrapping_sub(self.base) < MOMENTS as u64;
        if !is_soon || self.wheel[part].len() >= 1 << POSITION_BITS {
            self.heap.push(0);
            self.sift_up(self.heap.len() - 1, key, &mut moved);
            return;
        }
        moved(key, Place::in_wheel(part, self.wheel[part].len()));
        self.wheel[part].push(key);
        self.occupied[part / 64] |= 1 << (part % 64);
        self.in_wheel += 1;
    }

    /// Removes the key at a place.
    pub(super) fn remove(&mut self, place: Place, mut moved: impl FnMut(u128, Place)) -> u128 {
        if place.0 & IN_HEAP != 0 {
            return self.remove_from_heap((place.0 & !IN_HEAP) as usize, &mut moved);
        }
        let (part, position) = ((place.0 >> POSITION_BITS) as usize, (place.0 & ((1 << POSITION_BITS) - 1)) as usize);
        let keys = &mut self.wheel[part];
        let key = keys.swap_remove(position);
        if let Some(&last) = keys.get(position) {
            moved(last, place);
        }
        if keys.is_empty() {
            self.occupied[part / 64] &= !(1 << (part % 64));
        }
        self.in_wheel -= 1;
        key
    }

    /// Moves the keys of the first moments to `near`, in no order, until there are `enough` or none is left. The key
    /// that all those left are not before.
    pub(super) fn take_first(
        &mut self,
        enough: usize,
        near: &mut Vec<u128>,
        mut moved: impl FnMut(u128, Place),
    ) -> u128 {
        let mut taken = 0;
        while let Some(moment) = self.first_moment() {
            if near.len() >= enough {
                return u128::from(taken + 1) << (64 + MOMENT_BITS);
            }
            taken = moment;
            let part = moment as usize % MOMENTS;
            if moment.wrapping_sub(self.base) < MOMENTS as u64 {
                self.occupied[part / 64] &= !(1 << (part % 64));
                self.in_wheel -= self.wheel[part].len();
                near.append(&mut self.wheel[part]);
            }
            while self.heap.first().is_some_and(|&key| self::moment(key) <= moment) {
                near.push(self.remove_from_heap(0, &mut moved));
            }
        }
        u128::MAX
    }

    /// The first moment that a key falls into.
    fn first_moment(&self) -> Option<u64> {
        let in_heap = self.heap.first().map(|&key| moment(key));
        let in_wheel = (self.in_wheel > 0).then(|| self.first_in_wheel());
        match (in_wheel, in_heap) {
            (Some(wheel), Some(heap)) => Some(wheel.min(heap)),
            (wheel, heap) => wheel.or(heap),
        }
    }

    fn first_in_wheel(&self) -> u64 {
        let from = self.base as usize % MOMENTS;
        let (word, bit) = (from / 64, from % 64);
        let ahead = self.occupied[word] >> bit;
        if ahead != 0 {
            return self.base + u64::from(ahead.trailing_zeros());
        }
        for step in 1..=WORDS {
            let bits = self.occupied[(word + step) % WORDS];
            if bits != 0 {
                return self.base + (step * 64 - bit) as u64 + u64::from(bits.trailing_zeros());
            }
        }
        unreachable!("a part is occupied")
    }

    fn remove_from_heap(&mut self, position: usize, moved: &mut impl FnMut(u128, Place)) -> u128 {
        let key = self.heap[position];
        let last = self.heap.pop().expect("a key to remove");
        if position == self.heap.len() {
            return key;
        }
        if position > 0 && last < self.heap[(position - 1) / ARITY] {
            self.sift_up(position, last, moved);
        } else {
            self.sift_down(position, last, moved);
        }
        key
    }

    fn put(&mut self, position: usize, key: u128, moved: &mut impl FnMut(u128, Place)) {
        self.heap[position] = key;
        moved(key, Place(IN_HEAP | position as u32));
    }

    fn sift_up(&mut self, mut position: usize, key: u128, moved: &mut impl FnMut(u128, Place)) {
        while position > 0 {
            let parent = (position - 1) / ARITY;
            let above = self.heap[parent];
            if key >= above {
                break;
            }
            self.put(position, above, moved);
            position = parent;
        }
        self.put(position, key, moved);
    }

    fn sift_down(&mut self, mut position: usize, key: u128, moved: &mut impl FnMut(u128, Place)) {
        loop {
            let first = position * ARITY + 1;
            let children = self.heap.get(first..(first + ARITY).min(self.heap.len())).unwrap_or(&[]);
            let Some((offset, &least)) = children.iter().enumerate().min_by_key(|&(_, child)| child) else { break };
            if key <= least {
                break;
            }
            self.put(position, least, moved);
            position = first + offset;
        }
        self.put(position, key, moved);
    }
}

impl Place {
    /// No place of a key.
    pub(super) const NONE: Place = Place(u32::MAX);

    fn in_wheel(part: usize, position: usize) -> Place {
        Place((part as u32) << POSITION_BITS | position as u32)
    }
}
