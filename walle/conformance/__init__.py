"""Whether a server or a device client speaks the protocol of docs/protocol.md: checks, test vectors, a report.

`server` asks a running server, `client` plays the server for a device client; `vectors` are data for both. What a
check is stands in `checks`, how outcomes are told in `report`.
"""
