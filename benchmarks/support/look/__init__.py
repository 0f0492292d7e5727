"""Releases with up to ten million exposures, and an app with thousands of ended releases, for the benchmark `look`."""
