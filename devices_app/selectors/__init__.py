"""Everything that reads rows of devices_app."""
