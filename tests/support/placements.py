"""A small placement problem: camera pictures are described on the edge or in the cloud, and answered in the cloud."""

from copy import deepcopy
from typing import Any

_PROBLEM: dict[str, Any] = {
    "format": 1,
    "name": "questions",
    "workflow": {
        "sources": ["camera"],
        "sink": "answer",
        "operators": [
            {
                "name": "describe",
                "models": [
                    {"name": "small", "accuracy_rows": [{"inputs": [], "output": 80}]},
                    {"name": "large", "accuracy_rows": [{"inputs": [], "output": 92}]},
                ],
            },
            {
                "name": "answer",
                "inputs": ["describe"],
                "models": [
                    {
                        "name": "default",
                        "accuracy_rows": [{"inputs": [80], "output": 55}, {"inputs": [92], "output": 60}],
                    }
                ],
            },
        ],
        "edges": [
            {"source": "camera", "target": "describe", "kb_per_item": 500},
            {"source": "describe", "target": "answer", "kb_per_item": 4},
        ],
    },
    "infrastructure": {
        "tiers": [{"name": "edge"}, {"name": "cloud"}],
        "workers": [
            {"id": "box-1", "type": "box", "tier": "edge", "cost_per_hour": 0.2},
            {"id": "box-2", "type": "box", "tier": "edge", "cost_per_hour": 0.2},
            {"id": "gpu-1", "type": "gpu", "tier": "cloud", "cost_per_hour": 2.5},
        ],
        "network": {"usd_per_gb": {"edge->cloud": 0.1}},
    },
    "profiles": {
        "p75": {
            "describe": {"small": {"box": 40, "gpu": 5}, "large": {"box": 160, "gpu": 12}},
            "answer": {"default": {"box": 30, "gpu": 3}},
        }
    },
    "target": {"accuracy": 54, "rates": {"camera": 20}},
}


def problem(**parts: Any) -> dict[str, Any]:
    """Return the document of the problem, with some parts replaced."""
    return deepcopy(_PROBLEM) | parts
