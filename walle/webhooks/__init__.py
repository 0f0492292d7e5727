"""Webhooks: what they are told, how it is signed, when it is tried again, and where it may be sent. No I/O."""
