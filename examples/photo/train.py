"""Photograph digits, train a net on what the task's image steps make of them, and measure it on digits it never saw.

    python -m examples.photo.train              # train, write the model and the samples, measure
    python -m examples.photo.train --measure

Photographs are made, not taken: a digit of scikit-learn's `load_digits` is enlarged, turned by up to 10 degrees, put
on a sheet under uneven light, blurred, given noise, and handed over in NV21, as an Android camera does. The images of
training and those held out are the same as those of examples/image.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import walle_task.image as cv2
from examples.evaluate import LocalContext, accuracy_line, load_module, rank_of_truth
from examples.image.train import BLACK, Images, Labels, split
from walle_task.tensor import Graph, GraphBuilder, save
from walle_task.training import Adam, Training, losses

HERE = Path(__file__).parent
TASK = HERE / "task"
WIDTH, HEIGHT = 72, 96
SIDE = 16
SEED = 7
PASSES, BATCH = 20, 64

Frame = NDArray[np.uint8]


def photograph(digit: NDArray[Any] | None, random: np.random.Generator) -> Frame:
    """Return a frame (HEIGHT * 3 / 2, WIDTH) in NV21 with a digit (8, 8) of ink, 0 to 16; None is an empty sheet."""
    ink = np.zeros((HEIGHT, WIDTH), np.float32) if digit is None else _ink(digit, random)
    side = np.linspace(-1, 1, WIDTH) * random.uniform(-30, 30)
    down = np.linspace(-1, 1, HEIGHT)[:, None] * random.uniform(-30, 30)
    seen = (190 + side + down) * (1 - random.uniform(0.6, 0.9) * ink) + random.normal(0, 4, ink.shape)
    gray = cv2.GaussianBlur(np.clip(seen, 0, 255).astype(np.uint8), (3, 3), 0)
    tint = np.clip(gray[..., None] * np.array([1.05, 1.0, 0.9]), 0, 255).astype(np.uint8)
    return as_nv21(cv2.cvtColor(tint, cv2.COLOR_RGB2YUV_I420))


def _ink(digit: NDArray[Any], random: np.random.Generator) -> NDArray[np.float32]:
    large = cv2.resize(digit.astype(np.float32) / np.float32(BLACK), (48, 48), interpolation=cv2.INTER_CUBIC)
    matrix = cv2.getRotationMatrix2D((24, 24), random.uniform(-10, 10), random.uniform(0.8, 1.2))
    matrix[:, 2] += random.uniform(-6, 6) + WIDTH / 2 - 24, random.uniform(-12, 12) + HEIGHT / 2 - 24
    turned: NDArray[np.float32] = np.clip(cv2.warpAffine(large, matrix, (WIDTH, HEIGHT)), 0, 1)
    return turned


def as_nv21(i420: Frame) -> Frame:
    """Return I420 with its U and V in turns, V first."""
    chroma = i420[HEIGHT:].reshape(2, -1)[::-1]
    return np.concatenate([i420[:HEIGHT], chroma.T.reshape(-1, WIDTH)])


def photographs(images: Images, seed: int) -> Iterator[Frame]:
    random = np.random.default_rng(seed)
    return (photograph(image.reshape(8, 8), random) for image in images)


def network(random: np.random.Generator, *, learning: bool = False) -> Graph:
    """Return a net of two convolutions for images (n, 1, 16, 16); with its loss for `labels` (n,) if it is to learn."""
    graph = GraphBuilder("digits")
    value = graph.input("image", "float32", (None, 1, SIDE, SIDE))
    for number, (inner, outer) in enumerate(((1, 12), (12, 24))):
        weights = random.standard_normal((outer, inner, 3, 3)) * np.sqrt(2 / (9 * inner))
        kernel = graph.constant(weights.astype(np.float32), f"kernel {number}")
        bias = graph.constant(np.zeros(outer, np.float32), f"bias {number}")
        value = graph.add("convolution", value, kernel, bias, before=(1, 1), after=(1, 1))
        value = graph.add("max_pool", graph.add("relu", value), kernel=(2, 2), strides=(2, 2))
    inner = 24 * (SIDE // 4) ** 2
    weights = random.standard_normal((10, inner)) / np.sqrt(inner)
    last = graph.constant(weights.astype(np.float32), "head"), graph.constant(np.zeros(10, np.float32), "head bias")
    scores = graph.add("linear", graph.add("flatten", value), *last, name="scores")
    graph.output(scores)
    if learning:
        labels = graph.add("one_hot", graph.input("labels", "int64", (None,)), depth=10, dtype="float32")
        graph.output(losses.cross_entropy(graph, scores, labels))
    return graph.build()


def train(images: Images, labels: Labels) -> Graph:
    """Train on what the task finds in photographs of the images, each photographed anew in each pass."""
    random, digit_in = np.random.default_rng(SEED), load_module(TASK).digit_in
    graph = network(random, learning=True)
    shapes = {"image": (BATCH, 1, SIDE, SIDE), "labels": (BATCH,)}
    training = Training(graph, graph.outputs[1], list(graph.constants)[:6], Adam(0.002), shapes=shapes)
    for number in track(range(PASSES), "Training", transient=True):
        found = [digit_in(frame) for frame in photographs(images, SEED + 10 + number)]
        seen = random.permutation([place for place, digit in enumerate(found) if digit is not None])
        for begin in range(0, len(seen) - BATCH + 1, BATCH):
            chosen = seen[begin : begin + BATCH]
            batch = np.stack([found[place] for place in chosen])[:, None]
            training.step({"image": batch, "labels": labels[chosen].astype(np.int64)})
    learned = training.trained().constants
    net = network(random)
    return replace(net, constants={name: learned[name] for name in net.constants})


def ranks(images: Images, labels: Labels) -> NDArray[np.float64]:
    """Return 1 for each photograph that the task reads right, and infinity for others."""
    run, context = load_module(TASK).run, LocalContext(TASK)
    frames = photographs(images, SEED + 1)
    pairs = zip(frames, labels, strict=True)
    return np.array([rank_of_truth(run({"frame": frame}, context), truth) for frame, truth in pairs])


def write_samples(images: Images, labels: Labels) -> None:
    random = np.random.default_rng(SEED + 2)
    seven = images[np.flatnonzero(labels == 7)[0]].reshape(8, 8)
    for name, digit in (("seven", seven), ("nothing", None)):
        frame = json.dumps({"frame": photograph(digit, random).tolist()}, separators=(",", ":"))
        (TASK / "samples" / f"{name}.json").write_text(f"{frame}\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the reader of photographed digits, or measure it only.")
    parser.add_argument("--measure", action="store_true")
    images, labels, held_images, held_labels = split()
    if not parser.parse_args().measure:
        save(train(images, labels), TASK / "model.walle")
        write_samples(held_images, held_labels)
    print(f"camera/photo 1.0.0: {accuracy_line(ranks(held_images, held_labels))}")


if __name__ == "__main__":
    main()
