"""Many devices in one process, for demonstrations and load: real agents, or the protocol alone."""
