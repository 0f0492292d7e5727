"""Which nodes of a cluster are there, whatever Ray says of them."""

from __future__ import annotations

import socket

from walle.placement.processor.cluster_nodes import NodesThere, nodes_there, takes_connections


def node(name, *, alive=True, port=0, **resources):
    return {
        "NodeID": name, "Alive": alive, "Resources": resources, "NodeManagerAddress": "127.0.0.1",
        "NodeManagerPort": port,
    }  # fmt: skip


NODES = [node("a", edge=2.0, CPU=1.0), node("b", edge=1.0, cloud=3.0), node("c", alive=False, cloud=9.0)]


def test_nodes_that_do_not_answer_offer_nothing_and_are_avoided():
    asked = []
    found = nodes_there(NODES, lambda each: asked.append(each["NodeID"]) or each["NodeID"] == "a")
    assert found == NodesThere({"edge": 2.0, "CPU": 1.0}, ("b",))
    assert found.selector == {"ray.io/node-id": "!in(b)"}
    assert sorted(asked) == ["a", "b"], "one that Ray knows to be gone is not asked"


def test_where_all_answer_none_is_avoided():
    found = nodes_there(NODES, lambda each: True)
    assert found == NodesThere({"edge": 3.0, "CPU": 1.0, "cloud": 3.0}, ())
    assert found.selector == {}


def test_where_none_answers_their_ports_are_not_for_us():
    assert nodes_there(NODES, lambda each: False) == nodes_there(NODES, lambda each: True)


def test_a_node_takes_connections_as_long_as_somebody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = node("a", port=server.getsockname()[1])
        assert takes_connections(there)
    assert not takes_connections(there)
