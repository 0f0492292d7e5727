"""The REST face of apps, devices and reports."""
