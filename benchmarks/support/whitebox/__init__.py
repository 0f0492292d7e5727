"""The common parts of the whitebox benchmarks: data, trained pipelines, their peers, and Walle's own side."""
