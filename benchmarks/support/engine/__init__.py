"""What the benchmark of backends and semi-auto search is made of: models with seeded weights, and their peers."""
