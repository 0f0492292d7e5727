"""Webhooks: the events they receive, their signatures, their retries, and the addresses they may be sent to. No I/O."""
