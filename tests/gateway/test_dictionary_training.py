"""Which dictionary is chosen for features: one that saves more than it costs, of what many devices have in common."""

from __future__ import annotations

import json
import random

from walle.gateway.dictionary_training import (
    LEAST_DEVICES,
    LEAST_SAMPLES,
    MOST_BY_DEVICE,
    MOST_BYTES,
    best_dictionary,
    chosen_samples,
)
from walle.protocol.compression import compress


def features(count: int, seed: int = 1) -> list[bytes]:
    """Features of one task, which have their names and a few values in common."""
    chance = random.Random(seed)
    return [
        json.dumps(
            {
                "category": chance.choice(["cosmetics", "furniture", "laptops"]),
                "clusters": {"item_enter": chance.random(), "page_scroll": chance.random(), "item_exit": 1.0},
                "exposures": {"recommended": {"shown_ms": chance.randrange(9999), "longest_ms": 5}},
            },
            separators=(",", ":"),
        ).encode()
        for _ in range(count)
    ]


def test_a_dictionary_saves_on_features_that_it_was_not_trained_on():
    found = best_dictionary(features(800), None)
    assert found is not None
    assert (found.samples, found.bytes_after < 0.7 * found.bytes_before) == (600, True)
    others = features(100, seed=2)
    with_it, without = (sum(len(compress(one, used)[1]) for one in others) for used in (found.dictionary, None))
    assert with_it < 0.7 * without


def test_another_one_is_not_worth_its_download_while_features_stay_what_they_are():
    found = best_dictionary(features(800), None)
    assert best_dictionary(features(800, seed=2), found.dictionary) is None


def test_features_that_have_nothing_in_common_get_none():
    chance = random.Random(3)
    assert best_dictionary([chance.randbytes(200) for _ in range(400)], None) is None


def test_features_that_are_too_few_for_any_size_get_none():
    assert best_dictionary([b"{}"] * 10, None) is None


def of_devices(devices: int, each: int, size: int = 2) -> list[tuple[str, bytes]]:
    return [(f"d-{number}", b"x" * size) for number in range(devices) for _ in range(each)]


def test_samples_are_of_many_devices_and_of_none_too_many():
    assert len(chosen_samples(of_devices(LEAST_DEVICES, LEAST_SAMPLES // LEAST_DEVICES))) == LEAST_SAMPLES
    assert chosen_samples(of_devices(LEAST_DEVICES, LEAST_SAMPLES // LEAST_DEVICES)[1:]) == []
    assert chosen_samples(of_devices(LEAST_DEVICES - 1, LEAST_SAMPLES)) == []
    assert len(chosen_samples(of_devices(LEAST_DEVICES, 10 * MOST_BY_DEVICE))) == LEAST_DEVICES * MOST_BY_DEVICE
    large = chosen_samples(of_devices(30, 50, size=20_000))
    assert sum(map(len, large)) <= MOST_BYTES
