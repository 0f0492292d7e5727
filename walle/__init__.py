"""Walle's library: what the papers describe, without a web framework; part of it is installed on devices."""
