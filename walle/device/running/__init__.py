"""How a device runs installed tasks: when, on which inputs, and when it falls back to the last good version."""
