"""The manifest: the contract's shape, stable bytes, and a refusal of malformed names."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace

import pytest

from tests.bundle.examples import FILES, files
from walle.bundle.manifest import build_manifest
from walle.bundle.tree import MemoryTree
from walle.bundle.validation import validate_tree
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Manifest
from walle.protocol.names import InvalidNameError

NAMES = {"scenario": "camera", "task": "digits", "version": "1.0.0", "commit": "0" * 40}


def digest_of(path: str) -> str:
    return hashlib.sha256(FILES[path]).hexdigest()


def test_the_manifest_lists_travelling_files_and_keeps_the_tables():
    result = validate_tree(MemoryTree(FILES))
    manifest = build_manifest(result.spec, result.files, digest_of, **NAMES)
    assert manifest["files"][2] == {
        "path": "main.py",
        "digest": digest_of("main.py"),
        "size": len(FILES["main.py"]),
        "kind": "shared",
    }
    assert manifest["files"][-1] == {
        "path": "prefs.json",
        "kind": "exclusive",
        "template": "{age_band}-{region}",
        "default": "defaults/prefs.json",
    }
    assert manifest["requires"]["os"] == {"android": ">=10"}
    assert manifest["limits"] == {"time_ms": 1000, "memory_mb": 256, "output_kb": 64}
    read = Manifest.from_payload(canonical_json(manifest))
    assert (read.name, read.version, len(read.files)) == ("camera/digits", "1.0.0", 6)


def test_a_kind_is_written_unless_it_is_the_one_that_every_device_knows():
    result = validate_tree(MemoryTree(FILES))
    assert "kind" not in build_manifest(result.spec, result.files, digest_of, **NAMES)
    other = build_manifest(replace(result.spec, kind="pipeline"), result.files, digest_of, **NAMES)
    assert Manifest.from_payload(canonical_json(other)).kind == other["kind"] == "pipeline"


def test_only_a_kept_task_says_so():
    result = validate_tree(MemoryTree(FILES))
    assert "vm" not in build_manifest(result.spec, result.files, digest_of, **NAMES)
    kept = validate_tree(MemoryTree(files(toml=("[limits]", "[vm]\nkeep = true\nheld_mb = 64\n[limits]"))))
    payload = canonical_json(build_manifest(kept.spec, kept.files, digest_of, **NAMES))
    assert Manifest.from_payload(payload).values["vm"] == {"keep": True, "idle_s": 600, "held_mb": 64}


def test_the_same_version_gives_the_same_bytes_whatever_the_order():
    shuffled = list(FILES.items())
    random.Random(3).shuffle(shuffled)
    payloads = set()
    for tree in (MemoryTree(FILES), MemoryTree(dict(shuffled))):
        result = validate_tree(tree)
        for listed in (result.files, result.files[::-1]):
            payloads.add(canonical_json(build_manifest(result.spec, listed, digest_of, **NAMES)))
    assert len(payloads) == 1


@pytest.mark.parametrize("wrong", [{"scenario": "Camera"}, {"task": "a/b"}, {"version": "1.0"}, {"commit": "HEAD"}])
def test_malformed_names_are_refused(wrong):
    result = validate_tree(MemoryTree(FILES))
    with pytest.raises(InvalidNameError):
        build_manifest(result.spec, result.files, digest_of, **NAMES | wrong)
    with pytest.raises(InvalidNameError):
        build_manifest(result.spec, result.files, lambda _path: "unknown", **NAMES)
