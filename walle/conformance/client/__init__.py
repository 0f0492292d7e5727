"""Checks of a device client: a cloud in memory, which the checks change and damage, and the client as a command."""
