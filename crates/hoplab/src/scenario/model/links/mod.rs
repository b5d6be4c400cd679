//! Links of a scenario: the table of listed ones, what static paths are found from, and the link budget of shortest distances.

pub(crate) mod link_budget;
pub(super) mod listed;
mod path_rules;
