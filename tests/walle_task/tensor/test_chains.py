"""Chains of transform operators, drawn at random, give what NumPy gives; merged and as they were lowered."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.walle_task.tensor.running import numbered
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.folding import evaluate
from walle_task.tensor.planning import plan_execution
from walle_task.tensor.session import Session

MOST_ELEMENTS = 3000


class Chain:
    """A graph and the arrays of NumPy that its values should be, which grow together."""

    def __init__(self, draw, sources: int) -> None:
        self.draw = draw
        self.building = GraphBuilder("chain")
        self.inputs: dict[str, np.ndarray] = {}
        self.values: list[tuple[str, np.ndarray]] = []
        for at in range(sources):
            shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
            name = self.building.input(f"x{at}", "int32", shape)
            self.inputs[name] = numbered(*shape, dtype="int32") + 10_000 * at
            self.values.append((name, self.inputs[name]))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def extend(self) -> None:
        """Apply one operator to one of the values."""
        name, array = self.draw(st.sampled_from(self.values))
        operator = self.draw(st.sampled_from(STEPS))
        found = operator(self, name, array)
        if found is not None and 0 < found[1].size <= MOST_ELEMENTS and found[1].ndim <= 8:
            self.values.append((found[0], np.ascontiguousarray(found[1])))
        elif found is not None:
            self.building._nodes.pop()

    def add(self, operator: str, *inputs: str, **attributes) -> str:
        return self.building.add(operator, *inputs, **attributes)


def transpose(chain: Chain, name: str, array: np.ndarray):
    axes = tuple(chain.draw(st.permutations(range(array.ndim))))
    return chain.add("transpose", name, axes=axes), array.transpose(axes)


def reshape(chain: Chain, name: str, array: np.ndarray):
    shape, rest = [], array.size
    while rest > 1 and len(shape) < 4:
        divisors = [each for each in range(2, rest + 1) if rest % each == 0]
        shape.append(chain.draw(st.sampled_from(divisors)))
        rest //= shape[-1]
    shape.append(rest)
    return chain.add("reshape", name, shape=tuple(shape)), array.reshape(shape)


def slice_(chain: Chain, name: str, array: np.ndarray):
    axis = chain.number(0, array.ndim - 1)
    start, end = chain.number(-6, 6), chain.number(-6, 6)
    step = chain.draw(st.sampled_from([1, 1, 2, 3, -1, -2]))
    taken = array[(slice(None),) * axis + (slice(start, end, step),)]
    return chain.add("slice", name, axes=(axis,), starts=(start,), ends=(end,), steps=(step,)), taken


def flip(chain: Chain, name: str, array: np.ndarray):
    axis = chain.number(0, array.ndim - 1)
    return chain.add("flip", name, axes=(axis,)), np.flip(array, axis)


def roll(chain: Chain, name: str, array: np.ndarray):
    axis, shift = chain.number(0, array.ndim - 1), chain.number(-4, 4)
    return chain.add("roll", name, axis=axis, shift=shift), np.roll(array, shift, axis)


def pad(chain: Chain, name: str, array: np.ndarray):
    before, after = (tuple(chain.number(0, 2) for _ in range(array.ndim)) for _ in range(2))
    margins = tuple(zip(before, after, strict=True))
    return chain.add("pad", name, before=before, after=after, value=-7), np.pad(array, margins, constant_values=-7)


def pad_reflect(chain: Chain, name: str, array: np.ndarray):
    before, after = (tuple(chain.number(0, min(2, n - 1)) for n in array.shape) for _ in range(2))
    margins = tuple(zip(before, after, strict=True))
    return chain.add("pad_reflect", name, before=before, after=after), np.pad(array, margins, "reflect")


def tile(chain: Chain, name: str, array: np.ndarray):
    repeats = tuple(chain.number(1, 2) for _ in range(array.ndim))
    return chain.add("tile", name, repeats=repeats), np.tile(array, repeats)


def broadcast(chain: Chain, name: str, array: np.ndarray):
    shape = (chain.number(1, 3), *array.shape)
    return chain.add("broadcast_to", name, shape=shape), np.broadcast_to(array, shape)


def take(chain: Chain, name: str, array: np.ndarray):
    axis = chain.number(0, array.ndim - 1)
    indices = tuple(chain.draw(st.lists(st.integers(0, array.shape[axis] - 1), min_size=1, max_size=5)))
    return chain.add("take", name, axis=axis, indices=indices), np.take(array, indices, axis)


def windows(chain: Chain, name: str, array: np.ndarray):
    if array.ndim != 3:
        return None
    size = chain.number(1, array.shape[2])
    stride = chain.number(1, 2)
    found = np.lib.stride_tricks.sliding_window_view(array, size, axis=2)[:, :, ::stride].swapaxes(2, 3)
    return chain.add("windows", name, kernel=(size,), strides=(stride,), dilations=(1,)), found


def dilate(chain: Chain, name: str, array: np.ndarray):
    if array.ndim != 3:
        return None
    factor = chain.number(1, 3)
    found = np.zeros((*array.shape[:2], (array.shape[2] - 1) * factor + 1), array.dtype)
    found[:, :, ::factor] = array
    return chain.add("dilate", name, factors=(factor,)), found


def concatenate(chain: Chain, name: str, array: np.ndarray):
    axis = chain.number(0, array.ndim - 1)
    fitting = [
        (other, its)
        for other, its in chain.values
        if its.ndim == array.ndim and np.delete(its.shape, axis).tolist() == np.delete(array.shape, axis).tolist()
    ]
    other, its = chain.draw(st.sampled_from(fitting))
    return chain.add("concatenate", name, other, axis=axis), np.concatenate([array, its], axis)


def stack(chain: Chain, name: str, array: np.ndarray):
    other, its = chain.draw(st.sampled_from([each for each in chain.values if each[1].shape == array.shape]))
    axis = chain.number(0, array.ndim)
    return chain.add("stack", other, name, axis=axis), np.stack([its, array], axis)


STEPS = [
    *(transpose, reshape, slice_, flip, roll, pad, pad_reflect, tile),
    *(broadcast, take, windows, dilate, concatenate, stack),
]


@st.composite
def chains(draw):
    chain = Chain(draw, draw(st.integers(1, 2)))
    for _ in range(draw(st.integers(1, 7))):
        chain.extend()
    return chain


@given(chains(), st.integers(1, 3))
def test_a_merged_chain_gives_what_numpy_gives(chain, outputs):
    expected = dict(chain.values[-outputs:])
    for name in expected:
        chain.building.output(name)
    graph = chain.building.build()
    for compiled in (True, False):
        session = Session(graph, compiled=compiled)
        found = session.run(chain.inputs)
        for name, array in expected.items():
            np.testing.assert_array_equal(found[name], array)
    assert one_by_one(session, chain.inputs) == {name: array.tolist() for name, array in expected.items()}
    assert set(session.plan.merged.graph.operators) <= {"raster"}
    assert len(session.plan.merged.graph.nodes) <= len(session.plan.lowered.graph.nodes)


def one_by_one(session: Session, inputs: dict[str, np.ndarray]) -> dict[str, list]:
    """The outputs of the lowered graph, each node of which is computed by itself, into memory of its own."""
    lowered = session.plan.lowered
    values = {**lowered.graph.constants, **inputs}
    for node in lowered.graph.nodes:
        values.update(evaluate(node, lowered, values))
    return {name: values[name].tolist() for name in lowered.graph.outputs}


def test_the_chain_of_the_measurements_is_one_raster_of_its_input():
    building = GraphBuilder("chain")
    x = building.input("x", "float32", (1, 8, 16, 16))
    y = building.add("transpose", x, axes=(0, 2, 3, 1))
    z = building.add("concatenate", y, y, axis=3)
    z = building.add("slice", z, axes=(1, 2), starts=(2, 2), ends=(14, 14))
    z = building.add("transpose", z, axes=(0, 3, 1, 2))
    building.output(building.add("channel_shuffle", z, groups=2))
    plan = plan_execution(building.build())
    assert plan.lowered.graph.operators == {"raster": 5}
    (raster,) = plan.merged.graph.nodes
    assert raster.inputs == ("x",)
    assert [str(region) for region in raster.attributes["regions"]] == [
        "x[34 + [256, 0, 16, 1]] -> [0 + [288, 144, 12, 1]] over 8x2x12x12",
    ]
