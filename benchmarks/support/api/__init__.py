"""What the benchmark `api` is made of: a large Walle, the requests, and how they are measured."""
