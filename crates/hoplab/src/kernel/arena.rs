//! Values by index, with reused slots: no allocation per packet once a run is warm.

/// A pool of values. An index is valid until its value is removed.
#[derive(Debug)]
pub struct Arena<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// Inserts a value and returns its index.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = Some(value);
            return index;
        }
        self.slots.push(Some(value));
        self.slots.len() as u32 - 1
    }

    /// Removes a value; its index may be reused from now on.
    #[inline]
    pub fn remove(&mut self, index: u32) -> T {
        let value = self.slots[index as usize].take().expect("a value that is still in the arena");
        self.free.push(index);
        value
    }

    /// The value at an index.
    pub fn get(&self, index: u32) -> &T {
        self.slots[index as usize].as_ref().expect("a value that is still in the arena")
    }

    /// The value at an index, to be changed.
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        self.slots[index as usize].as_mut().expect("a value that is still in the arena")
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether the arena is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values with their indexes, in order of index.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| slot.as_ref().map(|value| (index as u32, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_reused() {
        let mut arena = Arena::default();
        let a = arena.insert('a');
        let b = arena.insert('b');
        assert_eq!(arena.remove(a), 'a');
        assert_eq!(arena.insert('c'), a);
        assert_eq!((*arena.get(a), *arena.get(b), arena.len()), ('c', 'b', 2));
    }

    #[test]
    #[should_panic(expected = "still in the arena")]
    fn get_of_removed_value_panics() {
        let mut arena = Arena::default();
        let a = arena.insert(1);
        arena.remove(a);
        arena.get(a);
    }
}
