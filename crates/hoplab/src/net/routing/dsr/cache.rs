//! The path cache of one node (RFC 4728 section 4.1): paths that start at it, each of which leads to all of its nodes.

use crate::kernel::{NodeId, Span, Time};
use crate::packet::SourceRoute;
use std::sync::Arc;

/// Paths from one node. On overflow the path that was used or learned least recently is removed.
#[derive(Clone, Debug)]
pub(super) struct PathCache {
    limit: usize,
    timeout: Span,
    paths: Vec<Path>,
}

#[derive(Clone, Debug)]
struct Path {
    route: Arc<SourceRoute>,
    /// Last use.
    used: Time,
}

impl PathCache {
    /// An empty cache for `limit` paths, each for `timeout` after its last use.
    pub(super) fn new(limit: u32, timeout: Span) -> PathCache {
        PathCache { limit: limit as usize, timeout, paths: Vec::new() }
    }

    /// Adds a path, which has no node twice, in place of its beginnings. One that begins a known path refreshes that. Returns
    /// whether it is new.
    pub(super) fn add(&mut self, now: Time, nodes: &[NodeId]) -> bool {
        let timeout = self.timeout;
        self.paths.retain(|path| path.used + timeout > now);
        if let Some(known) = self.paths.iter_mut().find(|path| path.route.nodes().starts_with(nodes)) {
            known.used = now;
            return false;
        }
        self.paths.retain(|path| !nodes.starts_with(path.route.nodes()));
        if self.paths.len() >= self.limit {
            let oldest = (0..self.paths.len()).min_by_key(|&index| self.paths[index].used);
            self.paths.remove(oldest.unwrap_or(0));
        }
        self.paths.push(Path { route: Arc::new(SourceRoute::new(nodes, 0)), used: now });
        true
    }

    /// A shortest path through `dst`; of several, that which is known for longest.
    pub(super) fn find(&self, now: Time, dst: NodeId) -> Option<&Arc<SourceRoute>> {
        self.best(now, dst).map(|index| &self.paths[index].route)
    }

    /// As [`PathCache::find`], for a packet that uses the path.
    pub(super) fn take_route(&mut self, now: Time, dst: NodeId) -> Option<Arc<SourceRoute>> {
        let index = self.best(now, dst)?;
        let path = &mut self.paths[index];
        path.used = now;
        Some(Arc::clone(&path.route))
    }

    /// Hops to `dst` on the shortest path.
    pub(super) fn hops(&self, now: Time, dst: NodeId) -> Option<usize> {
        self.find(now, dst)?.position(dst)
    }

    /// A link is broken, in both directions: paths end before it. Returns whether a path had it.
    pub(super) fn remove_link(&mut self, a: NodeId, b: NodeId) -> bool {
        let is_broken = |hop: &[NodeId]| (hop[0] == a && hop[1] == b) || (hop[0] == b && hop[1] == a);
        let mut has_changed = false;
        let mut index = 0;
        while index < self.paths.len() {
            let nodes = self.paths[index].route.nodes();
            let Some(last) = nodes.windows(2).position(is_broken) else {
                index += 1;
                continue;
            };
            has_changed = true;
            let Path { route, used } = self.paths.remove(index);
            let rest = &route.nodes()[..=last];
            let is_known = self.paths.iter().any(|path| path.route.nodes().starts_with(rest));
            if rest.len() > 1 && !is_known {
                self.paths.insert(index, Path { route: Arc::new(SourceRoute::new(rest, 0)), used });
                index += 1;
            }
        }
        has_changed
    }

    fn best(&self, now: Time, dst: NodeId) -> Option<usize> {
        let hops = |path: &Path| path.route.position(dst).filter(|_| path.used + self.timeout > now);
        let known = self.paths.iter().enumerate().filter_map(|(index, path)| Some((hops(path)?, index)));
        known.min().map(|(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cache(limit: u32) -> PathCache {
        PathCache::new(limit, Span::from_millis(300_000))
    }

    fn nodes(nodes: &[u32]) -> Vec<NodeId> {
        nodes.iter().copied().map(NodeId).collect()
    }

    fn at(secs: f64) -> Time {
        Time::from_secs(secs)
    }

    #[test]
    fn shortest_path_counts_and_leads_to_all_of_its_nodes() {
        let mut cache = cache(8);
        assert!(cache.add(at(1.0), &nodes(&[0, 1, 2, 3])) && cache.add(at(1.0), &nodes(&[0, 4, 3])));
        let found = |dst| cache.find(at(2.0), NodeId(dst)).map(|route| route.up_to(NodeId(dst)).to_vec());
        assert_eq!((found(3), found(2)), (Some(nodes(&[0, 4, 3])), Some(nodes(&[0, 1, 2]))));
        assert_eq!((found(9), cache.hops(at(2.0), NodeId(3))), (None, Some(2)));
    }

    #[test]
    fn path_that_goes_on_replaces_its_beginning() {
        let mut cache = cache(8);
        assert!(cache.add(at(1.0), &nodes(&[0, 1])) && cache.add(at(1.0), &nodes(&[0, 1, 2])));
        assert!(!cache.add(at(1.0), &nodes(&[0, 1])));
        assert_eq!(cache.paths.len(), 1);
    }

    #[test]
    fn broken_link_ends_paths_before_it() {
        let mut cache = cache(8);
        cache.add(at(1.0), &nodes(&[0, 1, 2, 3]));
        cache.add(at(1.0), &nodes(&[0, 4, 3, 2]));
        assert!(cache.remove_link(NodeId(3), NodeId(2)) && !cache.remove_link(NodeId(3), NodeId(2)));
        assert_eq!(cache.hops(at(2.0), NodeId(3)), Some(2), "over 4");
        assert_eq!(cache.hops(at(2.0), NodeId(2)), Some(2), "over 1");
        assert!(cache.remove_link(NodeId(0), NodeId(1)));
        assert_eq!(cache.hops(at(2.0), NodeId(1)), None);
    }

    #[test]
    fn unused_path_expires_and_the_oldest_makes_room() {
        let mut cache = cache(2);
        cache.add(at(1.0), &nodes(&[0, 1]));
        cache.add(at(2.0), &nodes(&[0, 2]));
        assert!(cache.take_route(at(3.0), NodeId(1)).is_some());
        cache.add(at(4.0), &nodes(&[0, 3]));
        assert_eq!((cache.hops(at(5.0), NodeId(1)), cache.hops(at(5.0), NodeId(2))), (Some(1), None));
        assert_eq!(cache.hops(at(303.0), NodeId(1)), None);
    }

    proptest! {
        #[test]
        fn no_path_leads_over_a_removed_link(
            paths in prop::collection::vec(prop::collection::hash_set(1u32..8, 1..7), 1..20),
            (a, b) in (0u32..8, 0u32..8),
        ) {
            let mut cache = cache(8);
            for path in paths {
                let path: Vec<u32> = std::iter::once(0).chain(path).collect();
                cache.add(at(1.0), &nodes(&path));
            }
            cache.remove_link(NodeId(a), NodeId(b));
            prop_assert!(cache.paths.len() <= 8);
            for path in &cache.paths {
                let all = path.route.nodes();
                let has_link = all.windows(2).any(|hop| hop.contains(&NodeId(a)) && hop.contains(&NodeId(b)) && a != b);
                prop_assert!(all[0] == NodeId(0) && all.len() > 1 && !has_link, "{all:?}");
            }
        }
    }
}
