"""The protocol between cloud and device."""
