"""Plans by beam search, as the paper makes them (section 4): models first, from the sink up, then workers, from the sources down."""
