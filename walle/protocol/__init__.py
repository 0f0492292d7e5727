"""The wire contract between cloud and device."""
