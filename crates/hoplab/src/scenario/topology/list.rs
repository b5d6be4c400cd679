//! The list of families, from which names, schema and dispatch are derived: one row each. The line above a row describes it
//! in the schema.

/// Calls a macro with the rows of all families.
macro_rules! families {
    ($callback:ident) => {
        $callback! {
            /// Nodes on a line.
            Chain = "chain";
            /// Rows and columns.
            Grid = "grid";
            /// Two parallel chains.
            Parallel = "parallel";
            /// Two paths that share their middle.
            Spindle = "spindle";
            /// Two chains that share one node.
            Cross = "cross";
            /// Nodes at listed positions.
            Positions = "positions";
            /// Nodes at latitudes and longitudes.
            Places = "places";
            /// Links with measured power or delivery.
            Links = "links";
            /// Nodes at random positions.
            Random = "random";
        }
    };
}

pub(super) use families;
