"""Functions that write rows of devices_app."""
