"""Everything that writes rows of devices_app."""
