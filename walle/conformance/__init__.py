"""Conformance of servers and device clients to docs/protocol.md: checks, test vectors, a report.

`server` checks a running server; `client` acts as the server for a device client; `vectors` are data for both. `checks`
defines what a check is, `report` presents the outcomes.
"""
