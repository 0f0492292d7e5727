"""Backends: engines that run graphs, behind one port (Walle, section 4.1). Begin at `port`."""
