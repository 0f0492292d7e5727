"""Which dictionary the devices of a task compress its features with, decided by features that it was not trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from walle.protocol.compression import Dictionary, compress, train

LEAST_SAMPLES: Final = 200
LEAST_DEVICES: Final = 10
MOST_BY_DEVICE: Final = 100
"""Of one device so many features count at most: what a dictionary holds is common to many, and all devices get it."""
MOST_BYTES: Final = 8 * 1024 * 1024
SIZES: Final = (2048, 8192, 32768)
FEATURES: Final = 1000
"""So many features of a device pay for its download of a dictionary."""
NOTICEABLE: Final = 0.9
_HELD_OUT: Final = 4


class TrainedDictionary(NamedTuple):
    """A dictionary that is worth its download.

    The bytes are what features take that it was not trained on: with the one before it, or without any, and with it.
    """

    dictionary: Dictionary
    samples: int
    bytes_before: int
    bytes_after: int


def chosen_samples(features: Iterable[tuple[str, bytes]]) -> list[bytes]:
    """Return the samples, of features of devices and their values as JSON, that a dictionary is trained and tried on.

    They are empty if there are too few features, or features of too few devices.
    """
    counts: dict[str, int] = defaultdict(int)
    samples, size = [], 0
    for device, values in features:
        if counts[device] < MOST_BY_DEVICE and size + len(values) <= MOST_BYTES:
            counts[device] += 1
            size += len(values)
            samples.append(values)
    return samples if len(samples) >= LEAST_SAMPLES and len(counts) >= LEAST_DEVICES else []


def best_dictionary(samples: Sequence[bytes], present: Dictionary | None) -> TrainedDictionary | None:
    """Return a dictionary for features like these samples; None if none saves a noticeable part beside the present one.

    Every fourth sample is kept from the training and compressed with each candidate.
    """
    held_out = samples[::_HELD_OUT]
    training = [sample for at, sample in enumerate(samples) if at % _HELD_OUT]
    before = _size(held_out, present)
    found: TrainedDictionary | None = None
    for size in SIZES:
        try:
            trained = train(training, size)
        except ValueError:
            continue
        candidate = TrainedDictionary(trained, len(training), before, _size(held_out, trained))
        if found is None or _cost(candidate, len(held_out)) < _cost(found, len(held_out)):
            found = candidate
    if found is None or _cost(found, len(held_out)) > NOTICEABLE * FEATURES * before / len(held_out):
        return None
    return found


def _size(samples: Iterable[bytes], dictionary: Dictionary | None) -> int:
    return sum(len(compress(sample, dictionary)[1]) for sample in samples)


def _cost(candidate: TrainedDictionary, held_out: int) -> float:
    """What FEATURES features and the dictionary take on the way of a device, in bytes."""
    return FEATURES * candidate.bytes_after / held_out + len(candidate.dictionary.content)
