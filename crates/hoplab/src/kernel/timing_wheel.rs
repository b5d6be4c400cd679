//! Keys of later events: a timing wheel for the next 67 ms, a 4-ary heap for later times.
//!
//! A tick of the wheel is unsorted: inserting is a push, removing a swap. Most timers of a MAC are set and cancelled within
//! the wheel; a tick is sorted once it is next. After Varghese and Lauck, "Hashed and hierarchical timing wheels" (1987).

/// Keys (see [`super::queue`]) beyond the sorted list of the queue.
#[derive(Debug)]
pub(super) struct TimingWheel {
    /// Keys of each tick from `base` on, at the tick's number modulo [`BUCKETS`].
    buckets: Vec<Vec<u128>>,
    /// One bit per bucket that is not empty.
    occupied: [u64; WORDS],
    base: u64,
    /// Number of keys in buckets.
    in_buckets: usize,
    /// Keys of later ticks.
    heap: Vec<u128>,
}

/// Where a key is, so that it can be removed: in the heap, or in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position(u32);

/// A tick lasts 2^16 ns, 65.5 us.
const TICK_BITS: u32 = 16;
const BUCKETS: usize = 1024;
const WORDS: usize = BUCKETS / 64;
/// Bits of a [`Position`] that number the keys of a bucket. Keys beyond go to the heap.
const INDEX_BITS: u32 = 20;
const IN_HEAP: u32 = 1 << 31;
const ARITY: usize = 4;

fn tick(key: u128) -> u64 {
    (key >> (64 + TICK_BITS)) as u64
}

impl Default for TimingWheel {
    fn default() -> Self {
        TimingWheel {
            buckets: vec![Vec::new(); BUCKETS],
            occupied: [0; WORDS],
            base: 0,
            in_buckets: 0,
            heap: Vec::new(),
        }
    }
}

impl TimingWheel {
    pub(super) fn len(&self) -> usize {
        self.in_buckets + self.heap.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &u128> {
        self.buckets.iter().flatten().chain(&self.heap)
    }

    /// Moves the start of the wheel to the tick of `key`: earlier keys, if any follow, go to the heap. A wheel that is not
    /// empty never moves back.
    pub(super) fn advance_to(&mut self, key: u128) {
        if self.in_buckets == 0 {
            self.base = tick(key);
        } else {
            self.base = self.base.max(tick(key));
        }
    }

    /// Inserts a key; `moved` is called with its position, and for every other key whose position changes.
    pub(super) fn insert(&mut self, key: u128, mut moved: impl FnMut(u128, Position)) {
        let tick = tick(key);
        let bucket = tick as usize % BUCKETS;
        let is_soon = tick.wrapping_sub(self.base) < BUCKETS as u64;
        if !is_soon || self.buckets[bucket].len() >= 1 << INDEX_BITS {
            self.heap.push(0);
            self.sift_up(self.heap.len() - 1, key, &mut moved);
            return;
        }
        moved(key, Position::in_bucket(bucket, self.buckets[bucket].len()));
        self.buckets[bucket].push(key);
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        self.in_buckets += 1;
    }

    /// Removes the key at a position.
    pub(super) fn remove(&mut self, position: Position, mut moved: impl FnMut(u128, Position)) -> u128 {
        if position.0 & IN_HEAP != 0 {
            return self.remove_from_heap((position.0 & !IN_HEAP) as usize, &mut moved);
        }
        let (bucket, index) = ((position.0 >> INDEX_BITS) as usize, (position.0 & ((1 << INDEX_BITS) - 1)) as usize);
        let keys = &mut self.buckets[bucket];
        let key = keys.swap_remove(index);
        if let Some(&last) = keys.get(index) {
            moved(last, position);
        }
        if keys.is_empty() {
            self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        }
        self.in_buckets -= 1;
        key
    }

    /// Moves the keys of the first ticks to `near`, in no order, until there are `enough` or none is left. Returns a lower
    /// bound of the keys left.
    pub(super) fn take_first(
        &mut self,
        enough: usize,
        near: &mut Vec<u128>,
        mut moved: impl FnMut(u128, Position),
    ) -> u128 {
        let mut taken = 0;
        while let Some(tick) = self.first_tick() {
            if near.len() >= enough {
                return u128::from(taken + 1) << (64 + TICK_BITS);
            }
            taken = tick;
            let bucket = tick as usize % BUCKETS;
            if tick.wrapping_sub(self.base) < BUCKETS as u64 {
                self.occupied[bucket / 64] &= !(1 << (bucket % 64));
                self.in_buckets -= self.buckets[bucket].len();
                near.append(&mut self.buckets[bucket]);
            }
            while self.heap.first().is_some_and(|&key| self::tick(key) <= tick) {
                near.push(self.remove_from_heap(0, &mut moved));
            }
        }
        u128::MAX
    }

    /// The first tick with a key.
    fn first_tick(&self) -> Option<u64> {
        let in_heap = self.heap.first().map(|&key| tick(key));
        let in_buckets = (self.in_buckets > 0).then(|| self.first_in_buckets());
        match (in_buckets, in_heap) {
            (Some(bucket), Some(heap)) => Some(bucket.min(heap)),
            (bucket, heap) => bucket.or(heap),
        }
    }

    fn first_in_buckets(&self) -> u64 {
        let from = self.base as usize % BUCKETS;
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
        unreachable!("the caller has checked that a bucket is occupied")
    }

    fn remove_from_heap(&mut self, index: usize, moved: &mut impl FnMut(u128, Position)) -> u128 {
        let key = self.heap[index];
        let last = self.heap.pop().expect("a key to remove");
        if index == self.heap.len() {
            return key;
        }
        if index > 0 && last < self.heap[(index - 1) / ARITY] {
            self.sift_up(index, last, moved);
        } else {
            self.sift_down(index, last, moved);
        }
        key
    }

    fn put(&mut self, index: usize, key: u128, moved: &mut impl FnMut(u128, Position)) {
        self.heap[index] = key;
        moved(key, Position(IN_HEAP | index as u32));
    }

    fn sift_up(&mut self, mut index: usize, key: u128, moved: &mut impl FnMut(u128, Position)) {
        while index > 0 {
            let parent = (index - 1) / ARITY;
            let above = self.heap[parent];
            if key >= above {
                break;
            }
            self.put(index, above, moved);
            index = parent;
        }
        self.put(index, key, moved);
    }

    fn sift_down(&mut self, mut index: usize, key: u128, moved: &mut impl FnMut(u128, Position)) {
        loop {
            let first = index * ARITY + 1;
            let children = self.heap.get(first..(first + ARITY).min(self.heap.len())).unwrap_or(&[]);
            let Some((offset, &least)) = children.iter().enumerate().min_by_key(|&(_, child)| child) else { break };
            if key <= least {
                break;
            }
            self.put(index, least, moved);
            index = first + offset;
        }
        self.put(index, key, moved);
    }
}

impl Position {
    /// Not in the wheel.
    pub(super) const NONE: Position = Position(u32::MAX);

    /// In place of a position: the number of the next free entry.
    #[inline]
    pub(super) fn of_free(next: u32) -> Position {
        Position(next)
    }

    /// See [`Position::of_free`].
    #[inline]
    pub(super) fn next_free(self) -> u32 {
        self.0
    }

    fn in_bucket(bucket: usize, index: usize) -> Position {
        Position((bucket as u32) << INDEX_BITS | index as u32)
    }
}
