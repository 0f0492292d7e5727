"""The state of a device, in one directory that stays consistent if the process is killed at any moment."""
