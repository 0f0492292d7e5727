"""Many devices in one process, for demonstrations and load tests: complete agents, or the protocol alone."""
