"""Functions that read rows of devices_app."""
