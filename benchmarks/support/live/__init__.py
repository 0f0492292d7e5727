"""A complete Walle of real processes, with emulated devices that record what they receive."""
