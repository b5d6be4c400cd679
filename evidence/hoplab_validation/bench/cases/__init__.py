"""What `hoplab bench` measures: one module per kind of case, each with its cases and how one of them is measured."""
