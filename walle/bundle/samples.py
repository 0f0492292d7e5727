"""The samples of a valid task, ready to be run: inputs and recorded sessions are read from the tree."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from typing import Any

from walle.bundle.spec import Sample
from walle.bundle.tree import FileTree
from walle.container.samples import Case, SampleCase, SessionCase
from walle.stream.session_samples import ReplayedSession, parse_sample_session
from walle.stream.stream_task import StreamTask


def load_samples(tree: FileTree, samples: Iterable[Sample], manifest: Mapping[str, Any]) -> list[Case]:
    """Return the samples of a valid spec, of which `manifest` is the payload."""
    outputs = manifest["outputs"]
    return [_session(tree, one, manifest) if one.session else _inputs(tree, one, outputs) for one in samples]


def _inputs(tree: FileTree, sample: Sample, outputs: Container[str]) -> SampleCase:
    """Return a sample; what it expects beyond the outputs on the device is of a workflow's answer from the cloud."""
    inputs = json.loads(tree.read(sample.input)) if isinstance(sample.input, str) else dict(sample.input or {})
    here = {name: each for name, each in sample.expect.items() if name in outputs}
    answer = {name: each for name, each in sample.expect.items() if name not in outputs}
    return SampleCase(sample.name, inputs, here, answer)


def _session(tree: FileTree, sample: Sample, manifest: Mapping[str, Any]) -> SessionCase:
    path = str(sample.session)
    task = StreamTask.from_manifest(f"{manifest['scenario']}/{manifest['task']}", manifest)
    if task is None:
        raise ValueError(f"expected a task with trigger.on for the session {path}")
    events = parse_sample_session(tree.read(path), path)
    return SessionCase(
        sample.name, ReplayedSession(task, frozenset(manifest["inputs"]), events), sample.expect, sample.fires
    )
