"""From the scores of models to probabilities and labels; a label is the index of a class, as a number."""

import math

import numpy as np

from walle.whitebox.kernels.decorators import kernel
from walle.whitebox.kernels.memory import load_f64, load_i64, store_f64


@kernel
def sigmoid(arguments, frame):
    """source, size, target."""
    source, target = frame + load_i64(arguments, 0), frame + load_i64(arguments, 2)
    for i in range(load_i64(arguments, 1)):
        store_f64(target, i, 1.0 / (1.0 + math.exp(-load_f64(source, i))))


@kernel
def softmax(arguments, frame):
    """source, size, target."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    greatest = -np.inf
    for i in range(size):
        greatest = max(greatest, load_f64(source, i))
    total = 0.0
    for i in range(size):
        power = math.exp(load_f64(source, i) - greatest)
        total += power
        store_f64(target, i, power)
    for i in range(size):
        store_f64(target, i, load_f64(target, i) / total)


@kernel
def complement(arguments, frame):
    """source, target."""
    probability, target = load_f64(frame + load_i64(arguments, 0), 0), frame + load_i64(arguments, 1)
    store_f64(target, 0, 1.0 - probability)
    store_f64(target, 1, probability)


@kernel
def extreme(arguments, frame):
    """source, size, target, sign: the first place of the greatest number, or of the least where the sign is -1."""
    source, size, target = frame + load_i64(arguments, 0), load_i64(arguments, 1), frame + load_i64(arguments, 2)
    sign = load_f64(arguments, 3)
    best = 0
    for i in range(1, size):
        if sign * load_f64(source, i) > sign * load_f64(source, best):
            best = i
    store_f64(target, 0, np.float64(best))


@kernel
def threshold(arguments, frame):
    """source, target, threshold."""
    above = load_f64(frame + load_i64(arguments, 0), 0) > load_f64(arguments, 2)
    store_f64(frame + load_i64(arguments, 1), 0, 1.0 if above else 0.0)


@kernel
def vote(arguments, frame):
    """target, classes, room for the weights of the classes, how many, then the place and the weight of each label."""
    target, classes, weights = (
        frame + load_i64(arguments, 0),
        load_i64(arguments, 1),
        frame + load_i64(arguments, 2),
    )
    for i in range(classes):
        store_f64(weights, i, 0.0)
    for k in range(load_i64(arguments, 3)):
        label = np.int64(load_f64(frame + load_i64(arguments, 4 + 2 * k), 0))
        store_f64(weights, label, load_f64(weights, label) + load_f64(arguments, 5 + 2 * k))
    best = 0
    for i in range(1, classes):
        if load_f64(weights, i) > load_f64(weights, best):
            best = i
    store_f64(target, 0, np.float64(best))


@kernel
def is_sure(arguments, frame):
    """source, size, threshold, target: whether the greatest number is at least the threshold, which is written too."""
    source, target = frame + load_i64(arguments, 0), frame + load_i64(arguments, 3)
    greatest = -np.inf
    for i in range(load_i64(arguments, 1)):
        greatest = max(greatest, load_f64(source, i))
    sure = greatest >= load_f64(arguments, 2)
    store_f64(target, 0, np.float64(sure))
    return sure
