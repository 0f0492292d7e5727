"""What benchmarks share: a throw-away Walle, a load generator, and how results are printed."""
