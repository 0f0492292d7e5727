"""Writes inputs of JellyBean's optimizer (schema "jellybean-qo-input/1") as problems of walle.placement.

    python -m benchmarks.support.placement.convert FOLDER

`inputs/` beside this file has what it wrote. The figures come from github.com/libertyeagle/JellyBean (MIT), where the
medium setup of VQA is complete; `provenance` of each file says what the paper gives and what is assumed.
"""

import json
import sys
from pathlib import Path
from typing import Any

from walle.placement.problem.document import problem_of

HERE = Path(__file__).resolve().parent
LICENCE = "MIT, Copyright (c) 2022 libertyeagle; see LICENSE"


def converted(given: dict[str, Any]) -> dict[str, Any]:
    """Return one input as a document of docs/workflow-format.md."""
    tiers = given["tiers"]
    prices = {
        "->".join(tiers[int(tier)] for tier in pair.split("->")): price
        for pair, price in given["network"]["usd_per_gb"].items()
    }
    return {
        "format": 1,
        "name": f"{given['dataset']} {given['setup']}",
        "assumed": given["provenance"].get("assumed", []),
        "provenance": {"licence": LICENCE, "status": given.get("status", "as published"), **given["provenance"]},
        "workflow": _workflow(given),
        "infrastructure": {
            "tiers": [{"name": name} for name in tiers],
            "workers": [{**each, "tier": tiers[each["tier"]]} for each in given["workers"]],
            "network": {"usd_per_gb": prices, "source_tier": tiers[given["network"]["source_tier"]]},
        },
        "profiles": _profiles(given),
        "target": {"accuracy": given["target"]["accuracy_min"], "rates": given["target"]["rates"]},
        "percentile": given["default_percentile"],
    }


def _workflow(given: dict[str, Any]) -> dict[str, Any]:
    sizes: dict[tuple[str, str], Any] = {}
    for each in given["message_sizes"]:
        pair = each["src"], each["dst"]
        if each["src_model"] is None:
            sizes[pair] = each["kb_per_item"]
        else:
            sizes.setdefault(pair, {})[each["src_model"]] = each["kb_per_item"]
    return {
        "sources": given["graph"]["sources"],
        "sink": given["graph"]["sink"],
        "operators": [_operator(given, each) for each in given["operators"]],
        "edges": [
            {
                "source": edge["src"],
                "target": edge["dst"],
                "rate_ratio": edge["rate_ratio"],
                "kb_per_item": sizes[edge["src"], edge["dst"]],
            }
            for edge in given["graph"]["edges"]
        ],
    }


def _operator(given: dict[str, Any], operator: dict[str, Any]) -> dict[str, Any]:
    """Return an operator; in the origin its weight has its rate in it, which walle.placement multiplies with itself."""
    weight = operator["selection_weight"] / _relative_rate(given, operator["name"])
    return {"kind": "model", **operator, "selection_weight": weight}


def _relative_rate(given: dict[str, Any], name: str) -> float:
    """Return how many items of an operator there are for each item of a source."""
    into = [edge for edge in given["graph"]["edges"] if edge["dst"] == name]
    return max((edge["rate_ratio"] * _relative_rate(given, edge["src"]) for edge in into), default=1.0)


def _profiles(given: dict[str, Any]) -> dict[str, Any]:
    """Return the latencies by type where all workers of a type are equal, else by worker."""
    kinds: dict[str, list[str]] = {}
    for worker in given["workers"]:
        kinds.setdefault(worker["type"], []).append(worker["id"])

    def shortened(latencies: dict[str, float]) -> dict[str, float]:
        found: dict[str, float] = {}
        for kind, ids in kinds.items():
            if len({latencies[each] for each in ids}) == 1:
                found[kind] = latencies[ids[0]]
            else:
                found.update({each: latencies[each] for each in ids})
        return found

    return {
        percentile: {
            operator: {model: shortened(latencies) for model, latencies in models.items()}
            for operator, models in operators.items()
        }
        for percentile, operators in given["latency_ms_by_worker"].items()
    }


def main() -> None:
    """Convert every input of a folder."""
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        document = converted(json.loads(path.read_text()))
        problem_of(document, path.name)
        (HERE / "inputs" / path.name).write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
