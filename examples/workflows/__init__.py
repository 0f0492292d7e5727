"""Workflows of several models, which a placement plan spreads over tiers of workers."""
