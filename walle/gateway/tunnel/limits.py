"""What one connection may take of a gateway, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass

from walle.protocol.tunnel_frames import MAX_FEATURE


@dataclass(frozen=True)
class TunnelLimits:
    """Limits in bytes, seconds and numbers.

    `window` is what devices are told: the bytes that may be unacknowledged. `ahead` is how much one connection, and
    `total` how much all of them may have waiting to be stored, counted as values. A device brings at most `rate` bytes
    a second, and once it has brought `saved` of them on end, at most `lasting` (walle.gateway.tunnel.pace). `parts` is
    how much of unfinished features all of them may hold, `part_s` how long the next part of one may take. `unread` is
    what may wait for a device to read it. A group of features that is stored at once has at most `group` of them, of
    `group_bytes` in all. For `dictionary_s` a task\'s dictionary is remembered, and for `version_s` that a version is
    unknown.
    """

    connections: int = 100_000
    hello_s: float = 10.0
    close_s: float = 5.0
    window: int = 128 << 10
    ahead: int = 2 << 20
    rate: int = 8 << 20
    saved: int = 512 << 20
    lasting: int = 64 << 10
    total: int = 64 << 20
    parts: int = 32 << 20
    part_s: float = 120.0
    unread: int = 256 << 10
    group: int = 4000
    group_bytes: int = 8 << 20
    retry_s: float = 0.1
    retry_most_s: float = 5.0
    check_s: float = 60.0
    dictionary_s: float = 30.0
    version_s: float = 30.0
    drain_s: float = 5.0

    @property
    def unacknowledged(self) -> int:
        """The bytes of messages beyond which a device has passed over its window, which may end inside a feature."""
        return self.window + MAX_FEATURE
