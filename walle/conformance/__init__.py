"""Whether a server or a device client speaks the protocol of docs/protocol.md: test vectors and a report."""
