"""Cascades in archives: a cheap prefix of a pipeline, and how sure it has to be to answer alone (Willump, MLSys 2020).

The prefix is a part of the same graph, with outputs of its own. It was learned from data, so that with it predictions
are no longer those of the model that was trained; `evidence` says how far off they may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from walle.schema import Fields, Named, Node, Number, OneOfTexts, Problems
from walle.whitebox.graph import OUTPUTS, Graph, check_outputs
from walle.whitebox.types import ValueType, VectorType

TRUTHS: Final = ("labels", "predictions")
"""What held-out records were compared with: labels that were given, or predictions of the whole pipeline."""
_SURE: Final = "probabilities"


@dataclass(frozen=True, slots=True)
class CascadeEvidence:
    """How the threshold was chosen, on `records` held-out ones.

    `answered` is the share of them that the prefix answers, the accuracies are those of the whole pipeline and of the
    cascade; of predictions that agree with the pipeline where `truth` is its predictions. With `confidence` the
    cascade's accuracy is less by at most `tolerance` than the pipeline's.
    """

    truth: str
    records: int
    answered: float
    pipeline_accuracy: float
    cascade_accuracy: float
    tolerance: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Cascade:
    """A prefix by its outputs (name to the id of a transformation), which have the form of the pipeline's.

    It answers a record alone where the greatest of its probabilities is at least `threshold`.
    """

    outputs: Mapping[str, str] = field(hash=False)
    threshold: float
    evidence: CascadeEvidence


_SHARE: Final = Number(0, 1)
_COUNT: Final = Number(1, 2**53, integer=True)
_EVIDENCE: Final[dict[str, Node]] = {
    **{each.name: _SHARE for each in fields(CascadeEvidence)},
    "truth": OneOfTexts(TRUTHS),
    "records": _COUNT,
}


def cascade_node(id_: Node) -> Fields:
    """Return what a cascade is in `pipeline.json`; `id_` is what the id of a transformation is."""
    parts: dict[str, Node] = {
        "outputs": Named(id_, id_, f"a table with label, {_SURE}, and what the pipeline answers", 2, len(OUTPUTS)),
        "threshold": _SHARE,
        "evidence": Fields(_EVIDENCE, tuple(_EVIDENCE)),
    }
    return Fields(parts, tuple(parts))


def cascade_of(document: Mapping[str, Any]) -> Cascade:
    """Return the cascade that a checked document says."""
    return Cascade(document["outputs"], document["threshold"], CascadeEvidence(**document["evidence"]))


def cascade_document_of(cascade: Cascade) -> dict[str, Any]:
    """Return a cascade as JSON data."""
    evidence = {each.name: getattr(cascade.evidence, each.name) for each in fields(cascade.evidence)}
    return {"outputs": dict(cascade.outputs), "threshold": cascade.threshold, "evidence": evidence}


def told_cascade(document: Mapping[str, Any]) -> str:
    """Return in words what a cascade is expected to do, from its JSON data."""
    found = document["evidence"]
    met = "the labels" if found["truth"] == "labels" else "the pipeline's own predictions"
    before, after = (100 * found[f"{name}_accuracy"] for name in ("pipeline", "cascade"))
    return (
        f"a prefix answers where it is at least {document['threshold']:.4f} sure: {100 * found['answered']:.1f} % of"
        f" {found['records']} held-out records; {met} met by {after:.2f} % instead of {before:.2f} %"
        f" (less by at most {100 * found['tolerance']:g} points with confidence {found['confidence']:g})"
    )


def check_cascade(cascade: Cascade, graph: Graph, types: Mapping[str, ValueType], problems: Problems) -> None:
    """Report outputs of a prefix that are not there, or that have another form than the pipeline's."""
    if "label" not in graph.outputs:
        problems.say("cascade", "none where the pipeline answers no label", "one")
        return
    wanted = {*graph.outputs, "label", _SURE}
    if cascade.outputs.keys() != wanted:
        problems.say("cascade.outputs", ", ".join(sorted(wanted)), ", ".join(sorted(cascade.outputs)))
        return
    inside = Problems()
    check_outputs(replace(graph, outputs=cascade.outputs), types, set(types), inside)
    for each in inside.all:
        problems.say(f"cascade.{each.field}", each.expected, each.found)
    if inside.found:
        return
    for name, whole in graph.outputs.items():
        own, other = _size(types[cascade.outputs[name]]), _size(types[whole])
        if own != other:
            problems.say(f"cascade.outputs.{name}", f"as many numbers as the pipeline's, {other}", str(own))


def _size(found: ValueType) -> int:
    return found.size if isinstance(found, VectorType) else 1
