"""What `benchmarks.ipv` measures: one device, and clouds that join the events of all users."""
