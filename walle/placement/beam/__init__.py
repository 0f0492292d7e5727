"""Plans by beam search (section 4 of the paper): models from the sink up, then workers from the sources down."""
