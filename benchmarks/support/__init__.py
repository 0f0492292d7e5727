"""The common parts of benchmarks: a throw-away Walle, a load generator, and the printing of results."""
