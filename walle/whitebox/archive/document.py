"""`pipeline.json`: a graph, its parameter table and the statistics of training, to and from JSON.

Everything that can be checked without the parameters' data is checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from walle.schema import (
    AnyJson,
    ByType,
    Fields,
    Items,
    Malformed,
    Named,
    Node,
    Nullable,
    Number,
    OneOfTexts,
    Problem,
    Problems,
    Text,
    Value,
    read_json,
)
from walle.schema.values import is_text
from walle.whitebox.archive.cascade import Cascade, cascade_document_of, cascade_node, cascade_of, check_cascade
from walle.whitebox.archive.files import DOCUMENT, MAX_DOCUMENT, MAX_SAMPLES, SAMPLES
from walle.whitebox.graph import (
    COLUMN,
    DIGEST,
    DTYPES,
    MAX_ARRAY,
    MAX_CLASSES,
    MAX_COLUMNS,
    MAX_INPUTS,
    MAX_TRANSFORMATIONS,
    OUTPUTS,
    ClassName,
    Column,
    Graph,
    GraphMalformed,
    Parameter,
    Transformation,
    array_sizes,
    check_graph,
)
from walle.whitebox.types import ValueType, VectorType

FORMAT: Final = 1
MAX_SAMPLE_COUNT: Final = 1000

RecordValue = str | float | None


class ArchiveMalformed(Malformed):
    """A pipeline archive is damaged, or lies; `problems` are all that were found."""


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What training saw of a text column: the bytes of its values in UTF-8."""

    bytes_mean: float
    bytes_max: int


@dataclass(frozen=True, slots=True)
class VectorStatistics:
    """What training saw of the vectors that a transformation made: how many numbers were not zero."""

    nonzeros_mean: float
    nonzeros_max: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """What training saw: `records` of it, text columns by name, and vectors by the id of their transformation."""

    records: int = 0
    columns: Mapping[str, ColumnStatistics] = field(default_factory=dict, hash=False)
    transformations: Mapping[str, VectorStatistics] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Archive:
    """A pipeline that was read; `types` are those of its columns and transformations by id.

    `graph` has the transformations of the prefix of its `cascade` too, if it has one.
    """

    graph: Graph
    statistics: Statistics
    types: Mapping[str, ValueType] = field(hash=False)
    cascade: Cascade | None = None

    @property
    def array_sizes(self) -> dict[str, int]:
        """The bytes of each array that the archive has, by digest."""
        return array_sizes(self.graph)


@dataclass(frozen=True, slots=True)
class Sample:
    """A record, and what the library that trained the pipeline predicts for it: outputs by name.

    The label is the name of a class; all other outputs are lists of numbers.
    """

    record: Mapping[str, RecordValue] = field(hash=False)
    outputs: Mapping[str, ClassName | tuple[float, ...]] = field(hash=False)


_NAME: Final = Text("at most 200 characters", lambda text: is_text(text) and len(text) <= 200)
_ID: Final = Text("an id of at most 100 characters", lambda text: is_text(text) and 0 < len(text) <= 100)
_INPUT: Final = Text("the id of a transformation, or column:<name>", lambda text: is_text(text) and 0 < len(text) < 300)
_FEW: Final = 64
_CLASS: Final = ByType(
    {
        bool: Value("a text or a number", lambda _: False),
        str: Text("at most 1000 characters", lambda text: is_text(text) and len(text) <= 1000),
        int: Number(integer=True),
        float: Number(),
    },
    "a text or a number",
)
_COUNT: Final = Number(0, 2**53, integer=True)
_MEAN: Final = Number(0, 2**53)

_PARAMETER: Final = Fields(
    {
        "digest": Text("the SHA-256 of the array's bytes, 64 hex digits", DIGEST.fullmatch),
        "dtype": OneOfTexts(tuple(DTYPES)),
        "shape": Items(Number(1, MAX_ARRAY, integer=True), "a list of one or two sizes", 1, 2),
    },
    ("digest", "dtype", "shape"),
)
_TRANSFORMATION: Final = Fields(
    {
        "id": _ID,
        "operator": Text("the name of an operator"),
        "inputs": Items(_INPUT, f"a list of 1 to {MAX_INPUTS} ids", 1, MAX_INPUTS),
        "settings": Named(Text("a name"), AnyJson(), f"a table of at most {_FEW} settings", 0, _FEW),
        "parameters": Named(Text("a name"), _PARAMETER, f"a table of at most {_FEW} parameters", 0, _FEW),
    },
    ("id", "operator", "inputs", "settings", "parameters"),
)
_STATISTICS: Final = Fields(
    {
        "records": _COUNT,
        "columns": Named(
            _NAME,
            Fields({"bytes_mean": _MEAN, "bytes_max": _COUNT}, ("bytes_mean", "bytes_max")),
            f"a table of at most {MAX_COLUMNS} columns",
            0,
            MAX_COLUMNS,
        ),
        "transformations": Named(
            _ID,
            Fields({"nonzeros_mean": _MEAN, "nonzeros_max": _COUNT}, ("nonzeros_mean", "nonzeros_max")),
            f"a table of at most {MAX_TRANSFORMATIONS} ids",
            0,
            MAX_TRANSFORMATIONS,
        ),
    },
    ("records", "columns", "transformations"),
)
_PIPELINE: Final = Fields(
    {
        "format": Value(f"the number of the format, {FORMAT}", lambda value: type(value) is int and value == FORMAT),
        "columns": Items(
            Fields({"name": _NAME, "type": Text("a type")}, ("name", "type")),
            f"a list of 1 to {MAX_COLUMNS} columns",
            1,
            MAX_COLUMNS,
        ),
        "transformations": Items(
            _TRANSFORMATION, f"a list of 1 to {MAX_TRANSFORMATIONS} transformations", 1, MAX_TRANSFORMATIONS
        ),
        "outputs": Named(Text("a name"), _ID, f"a table with some of {', '.join(OUTPUTS)}", 1, len(OUTPUTS)),
        "classes": Items(_CLASS, f"a list of at most {MAX_CLASSES} classes", 0, MAX_CLASSES),
        "statistics": _STATISTICS,
        "cascade": cascade_node(_ID),
    },
    ("format", "columns", "transformations", "outputs", "classes", "statistics"),
    "the description of a pipeline",
)


def read_document(content: bytes) -> Archive:
    """Read `pipeline.json`. Raises ArchiveMalformed with all problems that show without the parameters' data."""
    try:
        document = read_json(content, DOCUMENT, MAX_DOCUMENT)
    except Malformed as error:
        raise ArchiveMalformed(error.problems) from error
    problems = Problems(DOCUMENT)
    _PIPELINE.check(document, "", problems)
    if problems.found:
        raise ArchiveMalformed(problems.all)
    graph = _graph_of(document)
    try:
        types = check_graph(graph)
    except GraphMalformed as error:
        raise ArchiveMalformed(_in_file(error)) from error
    statistics = _statistics_of(document["statistics"])
    _check_statistics(statistics, types, problems)
    cascade = cascade_of(document["cascade"]) if "cascade" in document else None
    if cascade is not None:
        check_cascade(cascade, graph, types, problems)
    if problems.found:
        raise ArchiveMalformed(problems.all)
    return Archive(graph, statistics, types, cascade)


def _in_file(error: Malformed) -> list[Problem]:
    return [Problem(DOCUMENT, each.field, each.expected, each.found, hint=each.hint) for each in error.problems]


def _graph_of(document: Mapping[str, Any]) -> Graph:
    return Graph(
        tuple(Column(each["name"], each["type"]) for each in document["columns"]),
        tuple(
            Transformation(
                each["id"],
                each["operator"],
                tuple(each["inputs"]),
                each["settings"],
                {name: _parameter_of(found) for name, found in each["parameters"].items()},
            )
            for each in document["transformations"]
        ),
        document["outputs"],
        tuple(document["classes"]),
    )


def _parameter_of(entry: Mapping[str, Any]) -> Parameter:
    return Parameter(entry["digest"], entry["dtype"], tuple(entry["shape"]))


def _statistics_of(document: Mapping[str, Any]) -> Statistics:
    return Statistics(
        document["records"],
        {name: ColumnStatistics(**each) for name, each in document["columns"].items()},
        {name: VectorStatistics(**each) for name, each in document["transformations"].items()},
    )


def _check_statistics(statistics: Statistics, types: Mapping[str, ValueType], problems: Problems) -> None:
    for name in statistics.columns:
        if COLUMN + name not in types:
            problems.add(f"statistics.columns.{name}", "the name of a column", name)
    for name, each in statistics.transformations.items():
        place = f"statistics.transformations.{name}"
        found = types.get(name)
        if not isinstance(found, VectorType):
            problems.add(place, "the id of a transformation that makes a vector", name)
        elif not each.nonzeros_mean <= each.nonzeros_max <= found.size:
            expected = f"a mean of at most nonzeros_max, and that at most {found.size}"
            problems.add(place, expected, (each.nonzeros_mean, each.nonzeros_max))


def document_of(graph: Graph, statistics: Statistics, cascade: Cascade | None = None) -> dict[str, Any]:
    """Return what `read_document` reads, as JSON data. Raises ValueError for a graph that has parts of arrays."""
    for step in graph.transformations:
        for name, each in step.parameters.items():
            if each.part != each.shape:
                raise ValueError(f"expected a graph with whole arrays, found a part in {step.id}.{name}")
    return {
        "format": FORMAT,
        "columns": [{"name": each.name, "type": each.type} for each in graph.columns],
        "transformations": [
            {
                "id": each.id,
                "operator": each.operator,
                "inputs": list(each.inputs),
                "settings": dict(each.settings),
                "parameters": {name: _entry(parameter) for name, parameter in each.parameters.items()},
            }
            for each in graph.transformations
        ],
        "outputs": dict(graph.outputs),
        "classes": list(graph.classes),
        "statistics": {
            "records": statistics.records,
            "columns": {name: _table(each) for name, each in statistics.columns.items()},
            "transformations": {name: _table(each) for name, each in statistics.transformations.items()},
        },
        **({} if cascade is None else {"cascade": cascade_document_of(cascade)}),
    }


def _entry(parameter: Parameter) -> dict[str, Any]:
    return {"digest": parameter.digest, "dtype": parameter.dtype, "shape": list(parameter.shape)}


def _table(each: ColumnStatistics | VectorStatistics) -> dict[str, float]:
    return {name.name: getattr(each, name.name) for name in fields(each)}


def read_samples(content: bytes, graph: Graph) -> tuple[Sample, ...]:
    """Read `samples/predictions.json` of a valid graph. Raises ArchiveMalformed with all problems."""
    try:
        document = read_json(content, SAMPLES, MAX_SAMPLES)
    except Malformed as error:
        raise ArchiveMalformed(error.problems) from error
    problems = Problems(SAMPLES)
    _samples_node(graph).check(document, "", problems)
    if problems.found:
        raise ArchiveMalformed(problems.all)
    return tuple(
        Sample(
            each["record"],
            {name: tuple(value) if isinstance(value, list) else value for name, value in each["outputs"].items()},
        )
        for each in document["samples"]
    )


def _samples_node(graph: Graph) -> Fields:
    text = Text("a text", is_text)
    values: dict[str, Node] = {"text": text, "category": Nullable(text), "number": Nullable(Number())}
    numbers = Items(Number(), "a list of numbers", 1, MAX_CLASSES)
    label = Value("one of the classes", lambda value: isinstance(value, ClassName) and value in graph.classes)
    columns: dict[str, Node] = {each.name: values[each.type] for each in graph.columns}
    outputs: dict[str, Node] = {name: label if name == "label" else numbers for name in graph.outputs}
    sample = Fields(
        {"record": Fields(columns, tuple(columns)), "outputs": Fields(outputs, tuple(outputs))}, ("record", "outputs")
    )
    expected = f"a list of 1 to {MAX_SAMPLE_COUNT} samples"
    return Fields({"samples": Items(sample, expected, 1, MAX_SAMPLE_COUNT)}, ("samples",))


def samples_document_of(samples: tuple[Sample, ...]) -> dict[str, Any]:
    """Return what `read_samples` reads, as JSON data."""
    return {
        "samples": [
            {
                "record": dict(each.record),
                "outputs": {
                    name: list(value) if isinstance(value, tuple) else value for name, value in each.outputs.items()
                },
            }
            for each in samples
        ]
    }
