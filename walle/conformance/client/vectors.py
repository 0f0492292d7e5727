"""Checks with the test vectors, which the client evaluates (docs/conformance.md, "Vectors")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from walle.conformance.checks import ExpectationUnmet, Skipped, Suite, expect
from walle.conformance.client.bench import Bench
from walle.conformance.client.command import ClientCommand
from walle.conformance.vectors import load

SUITE: Final = Suite[Bench]()
_TIMEOUT_S: Final = 120.0
_ANSWERS: Final = ("error", "value", "payload", "version", "bucket")
_HIDDEN: Final = (*_ANSWERS, "name", "canonical", "pae_hex")
"""Members of a vector that the client is not sent: they are the answer or reveal it."""

Case = tuple[str, dict[str, Any], dict[str, Any]]


def cases(name: str) -> Iterator[Case]:
    """Yield name, question and correct answer of each vector in a file."""
    content = load(name)
    if name == "headers.json":
        for header, vectors in content.items():
            for vector in vectors:
                yield _case(f"{header}: {vector['raw'][:60]}", {"file": name, "header": header}, vector)
        return
    if name == "frames.json":
        yield from _frames(content)
        return
    listed = content["vectors"] if isinstance(content, dict) else content
    around = {k: v for k, v in content.items() if k not in ("vectors", "keys")} if isinstance(content, dict) else {}
    if name == "variants.json":
        around["manifest"] = load("manifests.json")["vectors"][0]["envelope"]
    for number, vector in enumerate(listed):
        yield _case(str(vector.get("name", number)), {"file": name, **around}, vector)


def _frames(content: dict[str, list[dict[str, Any]]]) -> Iterator[Case]:
    """Yield what a device reads of the cloud, and what it writes."""
    for vector in content["cloud"]:
        yield _case(f"the cloud's: {vector['name']}", {"file": "frames.json", "side": "cloud"}, vector)
    for vector in content["device"]:
        if "error" not in vector:
            question = {"file": "frames.json", "side": "device", "frame": vector["value"]}
            yield f"a device's: {vector['name']}", question, {"message_hex": vector["message_hex"]}


def _case(name: str, around: dict[str, Any], vector: dict[str, Any]) -> Case:
    question = {key: value for key, value in vector.items() if key not in _HIDDEN}
    right: dict[str, Any] = {key: vector[key] for key in _ANSWERS if key in vector}
    return name, around | question, right


def _check(file: str, section: str, what: str, *, mandatory: bool = True, feature: str = "vectors") -> None:
    @SUITE.check(f"vectors.{file.removesuffix('.json')}", section, f"Vectors: {what}", mandatory=mandatory)
    async def hold(bench: Bench) -> None:
        bench.needs(feature)
        await _hold_to(bench, file)


_check("headers.json", "structured-fields", "headers are read as they say")
_check("envelopes.json", "signed-documents", "signatures are verified as they say")
_check("roots.json", "roots", "chains of roots are walked as they say")
_check("assignments.json", "assignment", "assignments are accepted and refused as they say")
_check("manifests.json", "manifest", "manifests are accepted and refused as they say")
_check("variants.json", "variant", "variants are accepted and refused as they say")
_check("frames.json", "frames", "frames of the tunnel are read and written as they say", feature="tunnel")
_check("bodies.json", "bodies-of-features", "bodies are read as they say", mandatory=False, feature="tunnel")
_check("waits.json", "when-to-try-again", "check-ins come when they say")
_check("cohort.json", "cohorts", "buckets are drawn as they say", mandatory=False)


async def _hold_to(bench: Bench, file: str) -> None:
    bench.needs("vectors")
    if not isinstance(bench.launch, ClientCommand):
        raise Skipped("the client is no command")
    questions = list(cases(file))
    lines = "".join(json.dumps(question) + "\n" for _, question, _ in questions).encode()
    try:
        status, output = await bench.launch.query(["--vectors"], lines, _TIMEOUT_S)
    except TimeoutError as error:
        raise ExpectationUnmet("answers and an end", "neither in two minutes") from error
    answers = output.splitlines()
    expect(len(answers) == len(questions), f"{len(questions)} answers", f"{len(answers)} and exit status {status}")
    wrong, unsupported = [], 0
    for (name, _, right), line in zip(questions, answers, strict=True):
        answer = _read(line)
        unsupported += answer == {"unsupported": True}
        if answer != right:
            wrong.append(f"{name}: expected {_short(right)}, found {_short(answer)}")
    if unsupported == len(questions):
        raise Skipped("the client says that it does not support these")
    expect(not wrong, f"all {len(questions)} vectors as they say", f"{len(wrong)} not: {'; '.join(wrong[:3])}")


def _read(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return line.decode(errors="replace")


def _short(answer: object) -> str:
    text = json.dumps(answer)
    return text if len(text) <= 80 else f"{text[:77]}..."
