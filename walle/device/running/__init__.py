"""How a device runs what is installed: when, on which inputs, and back to the last good version when it fails."""
