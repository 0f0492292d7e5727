"""What each operator has to compute, by other means than its own: a table for each group, put together in `table`."""
