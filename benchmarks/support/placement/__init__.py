"""Inputs of placement's benchmarks: the public ones of JellyBean, and problems drawn at random."""
