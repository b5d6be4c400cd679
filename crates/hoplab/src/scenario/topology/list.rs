//! The list of families: one row each, with the type and its name in scenarios. The line above a row describes it in the
//! schema.

/// Calls a macro with the rows of all families.
macro_rules! families {
    ($callback:ident) => {
        $callback! {
            /// Nodes on a line.
            Chain = "chain";
            /// Rows and columns.
            Grid = "grid";
            /// Two chains beside each other.
            Parallel = "parallel";
            /// Two paths that share their middle.
            Spindle = "spindle";
            /// Two chains that share one node.
            Cross = "cross";
            /// Nodes where the file says.
            Positions = "positions";
            /// Nodes at random places.
            Random = "random";
        }
    };
}

pub(super) use families;
