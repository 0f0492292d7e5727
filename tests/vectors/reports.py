"""Report vectors: one that has everything, ways to leave things out, and ways to be wrong."""

from __future__ import annotations

from typing import Any

FULL: dict[str, Any] = {
    "id": "6f1c2f0e-5a55-4a3f-9c0b-0d4b2a1c7e11",
    "task": "camera/digits",
    "version": "1.0.0",
    "manifest": "ab" * 32,
    "kind": "run",
    "outcome": "success",
    "error_class": None,
    "message": None,
    "duration_ms": 12.5,
    "peak_memory_kb": 20480,
    "metrics": {"confidence": 0.93, "rows": 3},
    "output": {"label": 7},
    "offer_token": "k1.12.34.56.1800086400.0123456789abcdef0123456789abcdef",
    "at": 1800000000.25,
}
KEPT: dict[str, Any] = {"start": "cold", "vm_end": "killed:SIGKILL"}
"""What the run of a kept VM says beside that."""
RUNS: dict[str, Any] = {
    "since": 1800000000.25,
    "until": 1800000300,
    "count": 41,
    "failed": 3,
    "shed": 2,
    "events": 779,
    "cold": 1,
    "p50_ms": 1.25,
    "p90_ms": 2,
    "p99_ms": 31.5,
    "max_ms": 40,
    "cpu_ms": 61.75,
    "failures": [
        {"error_class": "exception:KeyError", "count": 2, "message": "'item'"},
        {"error_class": "timeout", "count": 1},
    ],
}
"""What a report about several runs of a stream task says beside that."""
TUNNEL: dict[str, Any] = {"features": 12, "raw_bytes": 4000, "wire_bytes": 900, "dropped": 3, "connects": 1}
"""What such a report says of what went up."""
_FAILURE: dict[str, Any] = {"error_class": "timeout", "count": 1}
SPARE = ("error_class", "message", "duration_ms", "peak_memory_kb", "metrics", "output", "offer_token")


def _nested(depth: int) -> dict[str, Any]:
    value: Any = 7
    for _ in range(depth - 1):
        value = [value]
    return {"x": value}


_VALID: dict[str, dict[str, Any]] = {
    "everything": {},
    "a failure": {
        "kind": "install",
        "outcome": "failure",
        "error_class": "digest-mismatch",
        "message": "Erwartet wurde ein anderer Inhalt: 画像",
    },
    "a removal": {"kind": "remove"},
    "nulls instead of what is spare": dict.fromkeys(SPARE),
    "unknown fields are ignored": {"battery": 0.5, "nested": {"a": [1]}},
    "a pre-release with a build": {"version": "1.0.0-rc.1+linux.x86"},
    "whole seconds": {"at": 1800000000},
    "the longest message": {"message": "x" * 2000},
    "the largest output": {"output": {"x": "y" * 4088}},
    "the deepest output": {"output": _nested(64)},
    "no time at all": {"duration_ms": 0, "at": 0},
    "a warm run": {"start": "warm"},
    "a cold run after the end of a kept VM": KEPT,
    "a VM that ended in the longest words": {"start": "cold", "vm_end": "x" * 20 + ":" + "9" * 19},
    "nothing about a VM": dict.fromkeys(KEPT),
    "several runs of a stream task": {"outcome": "failure", "error_class": "exception:KeyError", "runs": RUNS},
    "one run at one moment that says no times": {
        "runs": {"since": 0, "until": 0, "count": 1, "failed": 0, "shed": 0, "events": 0, "cold": 0}
    },
    "what went up by the tunnel": {"runs": RUNS | {"tunnel": TUNNEL | {"battery": 1}}},
    "nothing that went up by the tunnel": {"runs": RUNS | {"tunnel": None}},
    "nulls in an aggregate": {"runs": RUNS | dict.fromkeys(("p50_ms", "max_ms", "cpu_ms", "failures"))},
    "as many runs as a double counts": {"runs": RUNS | {"count": 2**53 - 1, "events": 2**53 - 1}},
    "unknown members of an aggregate are ignored": {"runs": RUNS | {"battery": [1], "p999_ms": "?"}},
    "no aggregate": {"runs": None},
    "what ran its models": {"backends": {"digits": "onnxruntime-int8", "_Faces2": "walle"}},
    "no models": {"backends": {}},
    "nothing about models": {"backends": None},
    "an upper-case id": {"id": "6F1C2F0E-5A55-4A3F-9C0B-0D4B2A1C7E11"},
}

# field at fault -> values that are refused there
_INVALID: dict[str, tuple[Any, ...]] = {
    "id": (None, 5, "", "6f1c2f0e5a554a3f9c0b0d4b2a1c7e11", "{6f1c2f0e-5a55-4a3f-9c0b-0d4b2a1c7e11}"),
    "task": (None, "digits", "camera/Digits", "camera/digits/x", "camera/" + "d" * 41),
    "version": (None, "1", "1.0", "v1.0.0", "1.0.0-" + "x" * 64),
    "manifest": (None, "AB" * 32, "ab" * 31, "ab" * 33),
    "kind": (None, "boot", "Run"),
    "outcome": (None, "ok", True),
    "at": (None, -1, "1800000000", True, 1e12),
    "error_class": ("", "no spaces", "x" * 81, 7),
    "message": (7, "x" * 2001, "a\u0000b", "\ud800"),
    "duration_ms": (-0.5, "12", False),
    "peak_memory_kb": (-1, 1.5, 2**41, True),
    "metrics": ([], {"Confidence": 1}, {"a": "1"}, {"a": None}, {"a": True}, {f"m{n}": n for n in range(65)}),
    "output": ([7], "7", {"x": "y" * 4089}, {"x": "\u0000"}, {"x": "\udc00"}, _nested(65)),
    "start": ("", "Cold", "hot", True, ["warm"]),
    "vm_end": ("", "Idle", "killed:", "killed:sig kill", "x" * 21, "killed:" + "S" * 20, "idle\n", 7),
    "offer_token": ("", "a b", "x" * 513, 7),
    "backends": (
        [],
        {"net": "MNN"},
        {"net": ""},
        {"net": None},
        {"net": "x" * 41},
        {"1": "mnn"},
        {f"m{n}": "mnn" for n in range(17)},
    ),
}


_INVALID_RUNS: dict[str, tuple[Any, ...]] = {
    "since": (None, "1800000000", -1, 1800000300.5, True, 1e12),
    "until": (None, -1, 1e12),
    "count": (None, 0, -1, 1.5, "41", True, 2, 2**53),
    "failed": (None, -1, 42, 0.5, 2),
    "shed": (None, -1, 2**53, False),
    "events": (None, -1, [], 2**53),
    "cold": (None, -1, 42),
    "p50_ms": (-0.5, "1", True),
    "max_ms": (-1, [40]),
    "cpu_ms": (-1, {}),
    "failures": (
        {},
        "timeout",
        [7],
        [_FAILURE] * 6,
        [_FAILURE | {"count": 0}],
        [_FAILURE | {"count": 4}],
        [_FAILURE | {"error_class": "no spaces"}],
        [{"count": 1}],
        [_FAILURE | {"message": "x" * 2001}],
        [_FAILURE | {"message": "a\u0000b"}],
    ),
    "tunnel": ([], 7, {}, *(TUNNEL | {name: wrong} for name in TUNNEL for wrong in (None, -1, 1.5, True))),
}
_WRONG_RUNS: tuple[Any, ...] = (
    *([], "41", 41, True, {}),
    *(RUNS | {name: value} for name, values in _INVALID_RUNS.items() for value in values),
)


def reports() -> list[dict[str, Any]]:
    valid: list[dict[str, Any]] = [{"name": name, "report": FULL | change} for name, change in _VALID.items()]
    bare = {name: value for name, value in FULL.items() if name not in SPARE}
    valid.append({"name": "nothing that is spare", "report": bare})
    invalid = [
        {"name": f"{field} {number}", "report": FULL | {field: value}, "error": "report-malformed", "field": field}
        for field, values in _INVALID.items()
        for number, value in enumerate(values)
    ]
    invalid += [
        {"name": f"runs {number}", "report": FULL | {"runs": runs}, "error": "report-malformed", "field": "runs"}
        for number, runs in enumerate(_WRONG_RUNS)
    ]
    invalid += [
        {
            "name": f"runs of a report of kind {kind}",
            "report": FULL | change,
            "error": "report-malformed",
            "field": "runs",
        }
        for kind in ("install", "remove")
        for change in [{"kind": kind, "runs": RUNS}]
    ]
    required = [name for name in FULL if name not in SPARE]
    missing = [
        {"name": f"without {field}", "report": _without(field), "error": "report-malformed", "field": field}
        for field in required
    ]
    odd = [
        {"name": f"not an object: {value!r}", "report": value, "error": "report-malformed", "field": ""}
        for value in (None, [], "report", 7)
    ]
    return valid + invalid + missing + odd


def _without(field: str) -> dict[str, Any]:
    return {name: value for name, value in FULL.items() if name != field}
