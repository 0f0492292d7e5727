"""What runs on a device: agent, updater, crash-safe store, emulator."""
