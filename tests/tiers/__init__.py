"""The tiers of the suite: what a test needs decides its tier, who runs it when, what it may do, and what it may cost.

docs/guides/testing.md describes them.
"""
