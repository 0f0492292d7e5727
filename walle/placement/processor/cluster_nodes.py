"""Which nodes of a Ray cluster are there, asked at their ports.

Ray takes some 15 s to notice that a node is gone, counts what it offers until then, and would start actors there.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Node: TypeAlias = Mapping[str, Any]
"""A node as `ray.nodes()` tells of it."""
CONNECT_S: Final = 1.0
"""Who takes no connection for this long is taken for gone."""
AT_ONCE: Final = 32


@dataclass(frozen=True)
class NodesThere:
    """What the nodes that answer offer, by resource, and the ids of those that Ray takes for alive and are not."""

    offered: Mapping[str, float]
    gone: tuple[str, ...]

    @property
    def selector(self) -> dict[str, str]:
        """Labels that keep an actor off the nodes that are gone."""
        return {"ray.io/node-id": f"!in({', '.join(self.gone)})"} if self.gone else {}


def nodes_there(nodes: Iterable[Node], answers: Callable[[Node], bool]) -> NodesThere:
    """Return what is left of a cluster. If no node answers, their ports are not for us: then Ray is believed."""
    alive = [each for each in nodes if each["Alive"]]
    with ThreadPoolExecutor(AT_ONCE) as asking:
        found = dict(zip((each["NodeID"] for each in alive), asking.map(answers, alive), strict=True))
    gone = tuple(node for node, there in found.items() if not there) if any(found.values()) else ()
    offered: Counter[str] = Counter()
    for each in alive:
        if each["NodeID"] not in gone:
            offered.update(each["Resources"])
    return NodesThere(offered, gone)


def takes_connections(node: Node) -> bool:
    """Return whether a node's process of Ray takes connections."""
    return listens(node["NodeManagerAddress"], node["NodeManagerPort"])


def listens(host: str, port: int) -> bool:
    """Return whether somebody takes connections at a port."""
    try:
        socket.create_connection((host, port), CONNECT_S).close()
    except OSError:
        return False
    return True
