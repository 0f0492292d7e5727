"""A whole Walle of real processes, with emulated devices that keep a record of what they were told."""
