"""The REST face of webhooks."""
