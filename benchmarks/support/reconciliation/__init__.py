"""Releases with up to ten million exposures, and an app with thousands of ended ones, for `reconciliation`."""
