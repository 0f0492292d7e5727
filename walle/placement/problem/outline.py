"""The schema of a problem's document: each field by itself. What spans fields is in `walle.placement.problem.rules`."""

from __future__ import annotations

import re
from typing import Any, Final

from walle.placement.problem.model import KINDS
from walle.schema import ByType, Fields, Items, Named, Node, Nullable, Number, OneOfTexts, Text, Value
from walle.schema.values import MAX_DEPTH, is_json

MAX_TIERS: Final = 8
MAX_WORKERS: Final = 1000
MAX_OPERATORS: Final = 64
MAX_SOURCES: Final = 64
MAX_EDGES: Final = 512
MAX_MODELS: Final = 64
"""The most models of one operator."""
MAX_ROWS: Final = 256
"""The most accuracy rows of one model."""
LEAST: Final = 1e-9
MOST: Final = 1e9
"""The least and the greatest of all prices, rates, ratios, sizes and latencies, so that what is reckoned is finite."""
_PERCENTILE: Final = re.compile(r"p[1-9][0-9]?")

NAME: Final = Text(
    "a name of 1 to 100 printable characters, without spaces around it",
    lambda text: 0 < len(text) <= 100 and text.isprintable() and text == text.strip(),
)
PERCENTILE: Final = Text("a percentile from p1 to p99", _PERCENTILE.fullmatch)


def above_zero(what: str) -> Value:
    """Return a node that accepts numbers above 0; `what` says in words which."""
    return Value(f"{what} above 0, from {LEAST:g} to {MOST:g}", _is_above_zero)


def _is_above_zero(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST <= value <= MOST


def _is_storable(value: Any) -> bool:
    """Return whether a value is JSON that a database keeps: PostgreSQL has no texts with null characters."""
    return is_json(value) and not _has_nulls(value)


def _has_nulls(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(map(_has_nulls, (*value, *value.values())))
    return isinstance(value, list) and any(map(_has_nulls, value))


_PROVENANCE: Final = Value(
    f"JSON without null characters, NaN or infinity, nested {MAX_DEPTH} deep at most", _is_storable
)
_ACCURACY: Final = Number(-MOST, MOST)
_ROW: Final = Fields(
    {"inputs": Items(_ACCURACY, "a list of accuracies", at_most=MAX_OPERATORS), "output": _ACCURACY},
    required=("inputs", "output"),
)
_MODEL: Final = Fields(
    {
        "name": NAME,
        "selection_cost_ms": above_zero("a latency in ms"),
        "accuracy_rows": Items(_ROW, f"a list of at most {MAX_ROWS} accuracy rows", at_most=MAX_ROWS),
    },
    required=("name",),
)
_OPERATOR: Final = Fields(
    {
        "name": NAME,
        "kind": OneOfTexts(KINDS),
        "inputs": Items(NAME, f"a list of at most {MAX_OPERATORS} operators", at_most=MAX_OPERATORS, unique=True),
        "selection_weight": above_zero("a factor"),
        "models": Items(_MODEL, f"a list of 1 to {MAX_MODELS} models", 1, MAX_MODELS),
    },
    required=("name", "models"),
)
_KB: Final = above_zero("a size in KB")
_EDGE: Final = Fields(
    {
        "source": NAME,
        "target": NAME,
        "rate_ratio": above_zero("a ratio of rates"),
        "kb_per_item": ByType(
            {dict: Named(NAME, _KB, "a table of sizes by model", 1, MAX_MODELS), object: _KB}, _KB.expected
        ),
    },
    required=("source", "target", "kb_per_item"),
)
_WORKFLOW: Final = Fields(
    {
        "sources": Items(NAME, f"a list of 1 to {MAX_SOURCES} sources", 1, MAX_SOURCES, unique=True),
        "sink": NAME,
        "operators": Items(_OPERATOR, f"a list of 1 to {MAX_OPERATORS} operators", 1, MAX_OPERATORS),
        "edges": Items(_EDGE, f"a list of 1 to {MAX_EDGES} edges", 1, MAX_EDGES),
    },
    required=("sources", "sink", "operators", "edges"),
)

_TIER_NAME: Final = Text(f'{NAME.expected}, and without "->"', lambda text: NAME.valid(text) and "->" not in text)
_TIER: Final = Fields({"name": _TIER_NAME, "sites": Number(1, 1_000_000, integer=True)}, required=("name",))
_WORKER: Final = Fields(
    {
        "id": NAME,
        "type": NAME,
        "tier": NAME,
        "location": NAME,
        "cost_per_hour": above_zero("a price in USD per hour"),
    },
    required=("id", "type", "tier", "cost_per_hour"),
)
_NETWORK: Final = Fields(
    {
        "usd_per_gb": Named(
            Text('two tiers as "lower->higher"'),
            above_zero("a price in USD per GB"),
            "a table of prices by pair of tiers",
            0,
            MAX_TIERS * MAX_TIERS,
        ),
        "source_tier": NAME,
    },
    required=("usd_per_gb",),
)
_CAP: Final = above_zero("a bandwidth in Mbit/s")
_CAPS: Final = Fields(
    {
        "tiers": Named(NAME, _CAP, "a table of bandwidths by tier", 0, MAX_TIERS),
        "workers": Named(NAME, _CAP, "a table of bandwidths by worker", 0, MAX_WORKERS),
    }
)
_INFRASTRUCTURE: Final = Fields(
    {
        "tiers": Items(_TIER, f"a list of 1 to {MAX_TIERS} tiers, lowest first", 1, MAX_TIERS),
        "workers": Items(_WORKER, f"a list of 1 to {MAX_WORKERS} workers", 1, MAX_WORKERS),
        "network": _NETWORK,
        "bandwidth_mbps": _CAPS,
    },
    required=("tiers", "workers", "network"),
)


def _table(item: Node, of: str, at_most: int) -> Named:
    return Named(NAME, item, f"a table by {of}, of 1 to {at_most}", 1, at_most)


_LATENCY: Final = Nullable(above_zero("a latency in ms, or null for a worker that cannot run the model,"))
_LATENCIES: Final = _table(
    _table(_table(_LATENCY, "worker", 2 * MAX_WORKERS), "model", MAX_MODELS), "operator", MAX_OPERATORS
)

DOCUMENT: Final = Fields(
    {
        "format": Value("1", lambda value: value == 1 and not isinstance(value, bool)),
        "name": NAME,
        "assumed": Items(
            Text("a text of 1 to 1000 printable characters", lambda text: 0 < len(text) <= 1000 and text.isprintable()),
            "a list of texts",
            0,
            100,
        ),
        "provenance": _PROVENANCE,
        "workflow": _WORKFLOW,
        "infrastructure": _INFRASTRUCTURE,
        "profiles": Named(PERCENTILE, _LATENCIES, "a table by percentile", 1, 99),
        "target": Fields(
            {
                "accuracy": _ACCURACY,
                "rates": Named(NAME, above_zero("a rate in items per second"), "a table by source", 1, MAX_SOURCES),
            },
            required=("accuracy", "rates"),
        ),
        "percentile": PERCENTILE,
    },
    required=("format", "workflow", "infrastructure", "profiles", "target"),
)
