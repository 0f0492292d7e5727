"""What the benchmark of the dashboard is made of."""
