"""The OpenAPI document's examples: one exchange for each operation, as it was recorded (tests/api/test_examples.py)."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

RECORDED: Final = Path(__file__).with_name("openapi_examples.json")
JSON: Final = "application/json"


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Return the exchanges by operation: `request` and `answer`, where it has them."""
    found: dict[str, dict[str, Any]] = json.loads(RECORDED.read_text())
    return found


def add_examples(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Put the recorded exchanges into the document; a drf-spectacular hook."""
    for operation in operations(result):
        known = recorded().get(operation["operationId"], {})
        for part, content in contents(operation).items():
            if part in known:
                content["example"] = known[part]
    return result


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each operation of a document."""
    for methods in document["paths"].values():
        yield from methods.values()


def contents(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the JSON contents of an operation's body (`request`) and of its successful answer (`answer`)."""
    good = (answer for status, answer in operation["responses"].items() if status.startswith("2"))
    parts = {"request": operation.get("requestBody", {}), "answer": next(good)}
    return {part: each["content"][JSON] for part, each in parts.items() if JSON in each.get("content", {})}
