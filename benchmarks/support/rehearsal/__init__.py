"""Walle as docs/guides/production.md installs it, on one machine: all kinds of processes, which can be killed."""
