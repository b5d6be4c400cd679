"""What every room uses: the engine, errors and exit codes, metrics, tables, progress, shapes of stored JSON."""
