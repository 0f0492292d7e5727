"""The parts of the benchmark `api`: a large Walle, the requests, and their measurement."""
