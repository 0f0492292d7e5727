"""Pipeline archives: written and read again, and refused where they are damaged or lie."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.whitebox.cascades.programs import cascaded, cheap_words
from tests.whitebox.pipelines import PROGRAMS, attendees, sentiment
from tests.whitebox.reference import predict
from walle.bundle.tree import EXECUTABLE, SYMLINK, FolderTree, MemoryTree
from walle.whitebox.archive import (
    DOCUMENT,
    SAMPLES,
    ArchiveMalformed,
    Sample,
    parameter_path,
    read_archive,
    read_document,
    read_samples,
)
from walle.whitebox.archive.cascade import cascade_document_of, cascade_of
from walle.whitebox.archive.document import document_of
from walle.whitebox.archive.writing import parameter_of, write_archive
from walle.whitebox.flour import Flour
from walle.whitebox.graph import array_sizes
from walle.whitebox.operators import OPERATORS
from walle.whitebox.program import Program

FORMAT = Path(__file__).parents[2] / "docs" / "pipeline-format.md"
Files = dict[str, bytes]


def files_of(program: Program, folder: Path, *samples: Sample) -> Files:
    program.write(folder, samples)
    return {each.path: (folder / each.path).read_bytes() for each in FolderTree(folder).entries()}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """An archive of a structured pipeline, by path."""
    return files_of(attendees(), tmp_path)


def changed(files: Files, change: Callable[[Any], object]) -> Files:
    """An archive whose description was changed."""
    document = json.loads(files[DOCUMENT])
    change(document)
    return {**files, DOCUMENT: json.dumps(document).encode()}


def step_of(document: Any, operator: str) -> Any:
    return next(each for each in document["transformations"] if each["operator"] == operator)


def with_array(files: Files, operator: str, name: str, array: np.ndarray) -> Files:
    """An archive in which a parameter of an operator has other numbers, its digest being that of them."""
    parameter, stored = parameter_of(array, array.dtype.str)

    def exchange(document: Any) -> None:
        parameters = step_of(document, operator)["parameters"]
        parameters[name] = {"digest": parameter.digest, "dtype": parameter.dtype, "shape": list(parameter.shape)}

    exchanged = {**changed(files, exchange), parameter_path(parameter.digest): stored.tobytes()}
    used = array_sizes(read_document(exchanged[DOCUMENT]).graph)
    return {path: each for path, each in exchanged.items() if "/" not in path or Path(path).stem in used}


def array_of(files: Files, operator: str, name: str) -> np.ndarray:
    """A copy of the numbers of a parameter."""
    entry = step_of(json.loads(files[DOCUMENT]), operator)["parameters"][name]
    return np.frombuffer(files[parameter_path(entry["digest"])], entry["dtype"]).reshape(entry["shape"]).copy()


def refusal(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> list[str]:
    with pytest.raises(ArchiveMalformed) as raised:
        read_archive(MemoryTree(files, modes))
    return raised.value.texts


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_was_written_is_read(program, tmp_path):
    pipeline = program()
    pipeline.write(tmp_path)
    archive = read_archive(FolderTree(tmp_path))
    assert archive.graph == pipeline.graph
    assert archive.array_sizes == {digest: array.nbytes for digest, array in pipeline.arrays.items()}
    assert archive.types.keys() >= {each.id for each in pipeline.graph.transformations}


def test_statistics_and_samples_are_read_too(tmp_path):
    review = Flour.text("review").seen(0.5, 900)
    words = review.tokenize().word_ngrams(["good", "bad"]).seen(0.5, 2)
    program = words.linear([[1.0, -1.0]]).binary_classifier(["bad", "good"])
    data = {digest: array.tobytes() for digest, array in program.arrays.items()}
    outputs = predict(program.graph, data, {"review": "good"})
    expected = {name: each if name == "label" else tuple(each.tolist()) for name, each in outputs.items()}
    files = files_of(program, tmp_path, Sample({"review": "good"}, expected))
    archive = read_archive(MemoryTree(files))
    assert archive.statistics == program.statistics
    assert (
        archive.statistics.columns["review"].bytes_max,
        archive.statistics.transformations["word_ngrams"].nonzeros_max,
    ) == (900, 2)
    assert read_samples(files[SAMPLES], archive.graph) == (Sample({"review": "good"}, expected),)


def test_the_same_pipeline_is_written_as_the_same_bytes_and_old_parameters_go(tmp_path):
    first = files_of(attendees(), tmp_path)
    (tmp_path / "task.toml").write_text("")
    sentiment().write(tmp_path)
    again = files_of(attendees(), tmp_path)
    assert again == {**first, "task.toml": b""}


def test_equal_bytes_of_different_types_are_one_file(tmp_path):
    program = Flour.numbers("a", "b").impute([0.0, 0.0], indicated=[0, 0, 0, 0]).regression()
    files = files_of(program, tmp_path)
    assert len([path for path in files if path.startswith("parameters/")]) == 1
    assert read_archive(MemoryTree(files)).graph == program.graph


def test_the_document_of_the_format_is_an_archive():
    document, cascade, samples = re.findall(r"```json\n(.*?)```", FORMAT.read_text(), re.DOTALL)
    archive = read_document(document.encode())
    assert cascade_document_of(cascade_of(json.loads(cascade))) == json.loads(cascade)
    weights, table = (archive.graph.transformations[at].parameters for at in (3, 2))
    assert parameter_of([[1, -1, 2]], "<f8")[0] == weights["weights"]
    program = Flour.text("x").tokenize().word_ngrams(["good", "bad", "very good"]).regression()
    assert table["table"].digest in program.arrays
    data = {digest: each.tobytes() for digest, each in program.arrays.items()}
    data[weights["weights"].digest] = np.array([[1.0, -1, 2]]).tobytes()
    (sample,) = read_samples(samples.encode(), archive.graph)
    assert predict(archive.graph, data, sample.record) == {"label": "good", "decision": np.array([3.0])}


def test_the_format_names_every_operator_with_its_settings_and_parameters():
    rows = [line.split(" | ") for line in FORMAT.read_text().splitlines() if line.startswith("| `")]
    rows_of = {name: row for row in rows for name in re.findall(r"`(\w+)`", row[0])}
    trees = {"trees", "tree_features"}
    for operator in OPERATORS.values():
        row = " ".join(rows_of[operator.name])
        named = {*operator.settings, *(() if operator.name in trees else operator.parameters)}
        assert not {name for name in named if f"`{name}`" not in row}, operator.name


# Cascades


@pytest.fixture
def cascaded_files(tmp_path: Path) -> Files:
    """An archive of a text pipeline with a cascade, by path."""
    archive = cascaded()
    arrays = {**sentiment().arrays, **cheap_words().arrays}
    write_archive(tmp_path, archive.graph, arrays, archive.statistics, cascade=archive.cascade)
    return {each.path: (tmp_path / each.path).read_bytes() for each in FolderTree(tmp_path).entries()}


def test_a_cascade_is_read_as_it_was_written(cascaded_files):
    archive, written = read_archive(MemoryTree(cascaded_files)), cascaded()
    assert archive == written
    assert archive.cascade is not None
    assert cascade_document_of(archive.cascade) == cascade_document_of(written.cascade)


def test_an_archive_without_a_cascade_has_no_such_key(files):
    assert "cascade" not in json.loads(files[DOCUMENT])
    assert read_archive(MemoryTree(files)).cascade is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda cascade: cascade.pop("threshold"), "cascade.threshold: expected a number"),
        (lambda cascade: cascade.update(threshold=1.5), "cascade.threshold: expected a number"),
        (lambda cascade: cascade.update(threshold=True), "cascade.threshold: expected a number"),
        (lambda cascade: cascade.update(more=1), "cascade.more: expected one of the keys"),
        (lambda cascade: cascade["evidence"].update(truth="none"), "cascade.evidence.truth: expected"),
        (lambda cascade: cascade["evidence"].update(records=0), "cascade.evidence.records: expected"),
        (lambda cascade: cascade["evidence"].update(answered=2), "cascade.evidence.answered: expected"),
        (lambda cascade: cascade["outputs"].pop("decision"), "cascade.outputs: expected decision, label, prob"),
        (lambda cascade: cascade["outputs"].pop("label"), "cascade.outputs: expected decision, label, prob"),
        (
            lambda cascade: cascade["outputs"].update(label="prefix.linear"),
            "cascade.outputs.label: expected label of 2",
        ),
        (lambda cascade: cascade["outputs"].update(label="nobody"), "cascade.outputs.label: expected the id of"),
        (
            lambda cascade: cascade["outputs"].update(decision="prefix.word_ngrams"),
            "cascade.outputs.decision: expected as many numbers as the pipeline's, 1, found 2",
        ),
        (lambda cascade: cascade["outputs"].update(scores="linear"), "cascade.outputs: expected decision, label, prob"),
    ],
)
def test_a_cascade_that_lies_is_refused(cascaded_files, change, problem):
    found = refusal(changed(cascaded_files, lambda document: change(document["cascade"])))
    assert any(each.startswith(f"pipeline.json: {problem}") for each in found), found


def test_a_pipeline_that_answers_no_label_has_no_cascade(cascaded_files):
    def alone(document: Any) -> None:
        document["outputs"] = {"decision": document["outputs"]["decision"]}
        document["classes"] = []

    assert any("none where the pipeline answers no label" in each for each in refusal(changed(cascaded_files, alone)))


# What is wrong with files


def test_a_folder_without_a_description_is_no_archive():
    assert refusal({"task.toml": b""}) == ["pipeline.json: expected the description of a pipeline, found no file"]


def test_a_link_is_no_file_of_an_archive(files):
    path = next(path for path in files if path.startswith("parameters/"))
    assert refusal(files, {path: SYMLINK}) == [f"{path}: expected a regular file, found something else"]
    assert read_archive(MemoryTree(files, {path: EXECUTABLE}))


def test_missing_truncated_and_foreign_parameters_are_all_named(files):
    first, second, *_ = sorted(path for path in files if path.startswith("parameters/"))
    del files[first]
    files[second] = files[second][:-1]
    files["parameters/other.bin"] = b""
    size = len(files[second])
    found = refusal(files)
    assert f"{second}: expected {size + 1} bytes, by its type and shape, found {size}" in found
    assert any(each.startswith(f"{first}: expected a file of") for each in found)
    assert "parameters/other.bin: expected a file that pipeline.json names, found another" in found
    assert len(found) == 3


def test_changed_bytes_are_found_by_their_digest(files):
    path = next(path for path in files if path.startswith("parameters/"))
    files[path] = bytes([files[path][0] ^ 1]) + files[path][1:]
    assert refusal(files) == [f"{path}: expected the bytes that its name is the SHA-256 of, found others"]


def test_no_parameter_is_read_before_the_sizes_of_all_are_known(files):
    class Watched(MemoryTree):
        def read(self, path: str) -> bytes:
            read.append(path)
            return super().read(path)

    read: list[str] = []
    path = next(path for path in files if path.startswith("parameters/"))
    with pytest.raises(ArchiveMalformed):
        read_archive(Watched({**files, path: b""}))
    assert read == [DOCUMENT]
    read.clear()
    with pytest.raises(ArchiveMalformed):
        read_archive(Watched({**files, DOCUMENT: b" " * (4 << 20) + b"{}"}))
    assert read == []


def test_samples_that_are_no_json_are_refused(files):
    (problem,) = refusal({**files, SAMPLES: b"{"})
    assert problem.startswith("samples/predictions.json: expected valid JSON")


def test_samples_that_do_not_belong_to_the_pipeline_are_refused_with_the_damaged_parameters(files):
    files[SAMPLES] = b'{"samples": [{"record": {"age": "old"}, "outputs": {"value": []}}]}'
    path = next(path for path in files if path.startswith("parameters/"))
    files[path] = bytes(len(files[path]))
    found = refusal(files)
    assert "samples/predictions.json: samples[0].record.age: expected a number, found 'old'" in found
    assert any("samples[0].record.city" in each for each in found)
    assert any("samples[0].outputs.value" in each for each in found)
    assert any(each.startswith(path) for each in found)


# What is wrong with the description


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: d.update(format=2), "format: expected the number of the format, 1, found 2"),
        (lambda d: d.update(format=True), "format: expected the number of the format, 1, found True"),
        (lambda d: d.pop("classes"), "classes: expected a list of at most 10000 classes, found nothing"),
        (lambda d: d.update(colour=1), "colour: expected one of the keys"),
        (lambda d: d.update(columns=[]), "columns: expected a list of 1 to 4096 columns, found []"),
        (
            lambda d: d["columns"][0].update(type="numbr"),
            "columns[0].type: expected one of text, number, category, found 'numbr' (did you mean \"number\"?)",
        ),
        (
            lambda d: d["columns"][0].update(name=""),
            "columns[0].name: expected 1 to 200 printable characters, found ''",
        ),
        (lambda d: d["columns"][0].update(name="a\n"), "columns[0].name: expected 1 to 200 printable characters"),
        (lambda d: d["columns"][1].update(name="age"), "columns[1].name: expected no duplicate, found 'age'"),
        (
            lambda d: d["transformations"][1].update(id="concat"),
            "transformations[1].id: expected an id that no other has",
        ),
        (lambda d: d["transformations"][1].update(id="é"), "transformations[1].id: expected 1 to 100 letters"),
        (lambda d: d["transformations"][1].update(operator="imput"), "operator: expected one of lowercase"),
        (
            lambda d: d["transformations"][1].update(inputs=["nothing"]),
            "inputs[0]: expected a column, or a transformation",
        ),
        (
            lambda d: d["transformations"][1].update(inputs=["trees"]),
            "inputs[0]: expected a column, or a transformation",
        ),
        (
            lambda d: d["transformations"][1].update(inputs=["impute"]),
            "inputs[0]: expected a column, or a transformation",
        ),
        (lambda d: d["transformations"][1].update(inputs=[]), "inputs: expected a list of 1 to 4096 ids, found []"),
        (
            lambda d: d["transformations"][1].update(inputs=["concat", "concat"]),
            "inputs: expected as many inputs as impute takes, 1, found 2",
        ),
        (lambda d: step_of(d, "impute")["settings"].clear(), "settings.missing: expected a number, found nothing"),
        (lambda d: step_of(d, "impute")["settings"].update(x=1), "settings.x: expected one of the keys missing"),
        (
            lambda d: step_of(d, "one_hot")["settings"].update(size=10**300),
            "settings.size: expected an integer of at least 1",
        ),
        (
            lambda d: step_of(d, "one_hot")["settings"].update(size=True),
            "settings.size: expected an integer of at least 1",
        ),
        (
            lambda d: step_of(d, "one_hot")["settings"].update(unknown_column=3),
            "settings.unknown_column: expected less than the size, 3",
        ),
        (
            lambda d: step_of(d, "one_hot")["parameters"].clear(),
            "parameters: expected table and not values for a category",
        ),
        (lambda d: step_of(d, "pca")["parameters"].clear(), "parameters.components: expected <f8 of rank 2"),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(dtype="<i4"),
            "parameters.mean: expected <f8 of rank 1",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(dtype="O"),
            "parameters.mean.dtype: expected one of <i4, <u8, <f8",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(shape=[2, 2]),
            "parameters.mean: expected <f8 of rank 1",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(shape=[]),
            "shape: expected a list of one or two sizes",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(shape=[-4]),
            "shape[0]: expected an integer of at least 1",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(shape=[10**30]),
            "shape[0]: expected an integer of at least 1",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(shape=[2**30 - 1]),
            "parameters.mean: expected at most 1073741824 bytes",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(digest="../" * 21 + "a"),
            "digest: expected the SHA-256",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["mean"].update(shape=[3]),
            "parameters.mean: expected the shape [4], found [3]",
        ),
        (
            lambda d: step_of(d, "pca")["parameters"]["components"].update(shape=[4, 2]),
            "parameters.components: expected the shape [4, 4], found [4, 2]",
        ),
        (
            lambda d: step_of(d, "trees")["settings"].update(size=2),
            "parameters.values: expected the shape [10, 2], found [10, 1]",
        ),
        (
            lambda d: step_of(d, "trees")["settings"].update(single=0),
            "settings.single: expected true or false, found 0",
        ),
        (lambda d: d.update(outputs={}), "outputs: expected a table with some of label"),
        (
            lambda d: d.update(outputs={"score": "trees"}),
            "outputs: expected one of label, probabilities, value, decision",
        ),
        (lambda d: d.update(outputs={"value": "column:age"}), "outputs.value: expected the id of a transformation"),
        (lambda d: d.update(outputs={"value": "fill"}), "outputs.value: expected vector, found category"),
        (lambda d: d.update(outputs={"label": "trees"}), "outputs.label: expected label of 0"),
        (lambda d: d.update(classes=["a"]), "classes: expected none where the label is no output, found 1"),
        (lambda d: d.update(classes=[True]), "classes[0]: expected a text or a number, found True"),
        (
            lambda d: d["statistics"]["columns"].update(x={"bytes_mean": 1, "bytes_max": 1}),
            "statistics.columns.x: expected the name of a column",
        ),
        (
            lambda d: d["statistics"]["transformations"].update(x={"nonzeros_mean": 1, "nonzeros_max": 1}),
            "statistics.transformations.x: expected the id",
        ),
        (
            lambda d: d["statistics"]["transformations"].update(pca={"nonzeros_mean": 1, "nonzeros_max": 3}),
            "statistics.transformations.pca: expected a mean",
        ),
        (
            lambda d: d["statistics"]["transformations"].update(pca={"nonzeros_mean": 2, "nonzeros_max": 1}),
            "statistics.transformations.pca: expected a mean",
        ),
    ],
)
def test_a_description_that_lies_is_refused(files, change, expected):
    assert any(expected in each for each in refusal(changed(files, change)))


def test_all_problems_come_at_once(files):
    def spoil(document: Any) -> None:
        step_of(document, "pca")["parameters"]["mean"]["dtype"] = "<i4"
        step_of(document, "impute")["settings"] = {"missing": "x"}
        step_of(document, "kmeans")["operator"] = "k-means"
        document["outputs"]["value"] = "nowhere"

    found = refusal(changed(files, spoil))
    assert len(found) == 4
    for part in ("parameters.mean", "settings.missing", 'did you mean "kmeans"?', "outputs.value"):
        assert any(part in each for each in found), found


def test_a_description_of_a_million_transformations_is_refused_unread():
    step = b'{"id": "a", "operator": "sum", "inputs": ["b"], "settings": {}, "parameters": {}}'
    content = b'{"transformations": [' + (step + b",") * 10**6 + step + b"]}"
    assert refusal({DOCUMENT: content}) == [f"pipeline.json: expected at most {4 << 20} bytes, found {len(content)}"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"format": NaN}',
        b"\xff\xfe",
        b"[" * 1_000_000,
        b'{"a":' * 700_000,
        b'{"transformations": [' + b"{}," * 1_300_000 + b"{}]}",
        b'{"columns": ' + b"9" * 4_000_000 + b"}",
        b'{"classes": ["' + b"x" * 4_000_000 + b'"]}',
    ],
)
def test_what_is_no_description_at_all_is_refused(content):
    assert 0 < len(refusal({DOCUMENT: content})) <= 1001


@pytest.mark.parametrize("count", [4096, 4097])
def test_as_many_transformations_as_are_allowed_are_read(count):
    steps = [
        {
            "id": f"t{at}",
            "operator": "lowercase",
            "inputs": [f"t{at - 1}" if at else "column:x"],
            "settings": {},
            "parameters": {},
        }
        for at in range(count - 1)
    ]
    last = {"low": 1, "high": 1, "boundary": False, "size": 1, "signed": True}
    steps.append(
        {"id": "end", "operator": "hash_char_ngrams", "inputs": [steps[-1]["id"]], "settings": last, "parameters": {}}
    )
    document = {
        "format": 1,
        "columns": [{"name": "x", "type": "text"}],
        "transformations": steps,
        "outputs": {"value": "end"},
        "classes": [],
        "statistics": {"records": 0, "columns": {}, "transformations": {}},
    }
    files = {DOCUMENT: json.dumps(document).encode()}
    if count > 4096:
        assert "transformations: expected a list of 1 to 4096 transformations" in refusal(files)[0]
    else:
        assert len(read_archive(MemoryTree(files)).graph.transformations) == count


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["concat", "column:age"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
DESCRIPTION = json.dumps(
    {
        "format": 1,
        "columns": [{"name": "a", "type": "number"}, {"name": "c", "type": "category"}],
        "transformations": [
            {
                "id": "concat",
                "operator": "concat",
                "inputs": ["column:a", "column:a"],
                "settings": {},
                "parameters": {},
            },
            {
                "id": "model",
                "operator": "linear",
                "inputs": ["concat"],
                "settings": {},
                "parameters": {"weights": {"digest": "0" * 64, "dtype": "<f8", "shape": [1, 2]}},
            },
        ],
        "outputs": {"value": "model"},
        "classes": [],
        "statistics": {
            "records": 1,
            "columns": {},
            "transformations": {"concat": {"nonzeros_mean": 1, "nonzeros_max": 2}},
        },
    }
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value, as a container with a key or an index."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


@given(st.data())
def test_whatever_stands_anywhere_in_a_description_is_read_or_refused(data):
    document = json.loads(DESCRIPTION)
    container, key = data.draw(st.sampled_from(places(document)))
    container[key] = data.draw(JSON)
    with suppress(ArchiveMalformed):
        read_document(json.dumps(document).encode())


# What is wrong with numbers


def test_numbers_that_are_none_are_refused_where_they_hurt(files):
    for operator, name in (
        ("pca", "mean"),
        ("kmeans", "centers"),
        ("affine", "divisor"),
        ("trees", "values"),
        ("impute", "values"),
    ):
        for bad in (np.nan, np.inf):
            array = array_of(files, operator, name)
            array.flat[0] = bad
            (problem,) = refusal(with_array(files, operator, name, array))
            assert problem.endswith(f"parameters.{name}: expected finite numbers, found NaN or infinity")


def test_numbers_so_great_that_their_sum_is_infinite_are_allowed(files):
    read_archive(MemoryTree(with_array(files, "pca", "mean", np.full(4, 1e308))))


@pytest.mark.parametrize(
    ("operator", "name", "array", "expected"),
    [
        ("affine", "divisor", np.array([1.0, 0, 1, 1]), "numbers other than zero"),
        ("impute", "indicated", np.array([3], "<i4"), "integers from 0 to 2, found 3 to 3"),
        ("impute", "indicated", np.array([-1], "<i4"), "integers from 0 to 2, found -1 to -1"),
        ("tree_features", "columns", np.array([-1, -1, 0, 1, 6, -1, -1, 3, 4, 5], "<i4"), "integers from -1 to 5"),
        ("tree_features", "columns", np.array([-1, -1, 0, 1, -1, -1, -1, 3, 4, 5], "<i4"), "a place for each leaf"),
        ("one_hot", "columns", np.array([0, -2, 1], "<i4"), "integers from -1 to 2, found -2 to 1"),
        ("one_hot", "columns", np.array([0, 3, 1], "<i4"), "integers from -1 to 2, found 0 to 3"),
        ("trees", "targets", np.array([0, 1], "<i4"), "integers from 0 to 0, found 0 to 1"),
        ("trees", "targets", np.array([-1, 0], "<i4"), "integers from 0 to 0, found -1 to 0"),
        ("trees", "roots", np.array([0, 0], "<i4"), "integers that ascend from 0"),
        ("trees", "roots", np.array([1, 5], "<i4"), "integers that ascend from 0"),
        ("trees", "roots", np.array([0, 10], "<i4"), "integers that ascend from 0"),
        ("trees", "roots", np.array([0, 4], "<i4"), "children behind their parent in the same tree, found 3 at node 1"),
        ("trees", "depths", np.array([2, 3], "<i4"), "2 comparisons in tree 1, found 3"),
        ("trees", "depths", np.array([1, 2], "<i4"), "2 comparisons in tree 0, found 1"),
        ("trees", "depths", np.array([2, 1025], "<i4"), "integers from 0 to 1024"),
        ("one_hot", "table", np.array([1 << 24 | 4, 0], "<u8"), "columns below 3, found 3"),
        ("one_hot", "table", np.array([1 << 24, 0], "<u8"), "entries that have a column"),
        ("one_hot", "table", np.array([1 << 24 | 1, 1 << 24 | 1], "<u8"), "ends with an empty one"),
        ("one_hot", "table", np.array([0], "<u8"), "at least two slots"),
        (
            "one_hot",
            "table",
            np.append(np.full(4097, 1 << 24 | 1, "<u8"), [np.uint64(0)]),
            "at most 4096 slots in use in a row",
        ),
    ],
)
def test_numbers_that_point_outside_or_never_end_are_refused(files, operator, name, array, expected):
    assert any(expected in each for each in refusal(with_array(files, operator, name, array)))


@pytest.mark.parametrize(
    ("node", "word", "value", "expected"),
    [
        (0, 3, 0, "the threshold infinity in each leaf"),
        (1, 3, 0, "children behind their parent in the same tree, found 0 at node 1"),
        (1, 3, -1, "children behind their parent in the same tree, found -1 at node 1"),
        (1, 3, 4, "children behind their parent in the same tree, found 4 at node 1"),
        (1, 3, 9, "children behind their parent in the same tree, found 9 at node 1"),
        (1, 3, 2**31 - 1, "children behind their parent"),
        (1, 3, 2, "one parent of each node"),
        (0, 2, 22, "features below 21, found 22"),
        (2, 2, -(2**31), "where missing numbers go left too"),
        (0, 1, 0x7FF80000, "thresholds that are numbers, found NaN"),
        (2, 1, 0, "the threshold infinity in each leaf"),
    ],
)
def test_trees_in_which_a_way_leads_nowhere_are_refused(files, node, word, value, expected):
    nodes = array_of(files, "trees", "nodes")
    nodes[node, word] = value
    assert any(expected in each for each in refusal(with_array(files, "trees", "nodes", nodes)))


def test_a_tree_that_is_too_deep_is_refused_before_all_of_it_is_gone_through(tmp_path):
    depth = 5000
    nodes = np.zeros((2 * depth + 1, 4), "<i4")
    nodes[:, :2] = np.full(len(nodes), np.inf).view("<i4").reshape(-1, 2)
    nodes[:, 3] = np.arange(len(nodes))
    nodes[0 : 2 * depth : 2, 3] = np.arange(1, 2 * depth, 2)
    # Each inner node is the right child of the one before it.
    parameters = {"roots": [0], "depths": [1024], "values": np.zeros((len(nodes), 1))}
    program = Flour.number("a").trees(nodes, **parameters, size=1).regression()
    with pytest.raises(ArchiveMalformed, match="comparisons in tree 0, found 1024"):
        program.write(tmp_path)


def test_numbers_of_categories_ascend_and_have_codes(tmp_path):
    days = Flour.number("day")
    for program, expected in (
        (days.one_hot([2.0, 1.0]).regression(), "parameters.values: expected numbers that ascend"),
        (days.one_hot([1.0, 2.0], columns=[0]).regression(), "parameters.values: expected at most 1 numbers, found 2"),
        (
            days.one_hot([1.0], columns=[0], missing=1).regression(),
            "settings.missing: expected null or an integer below 1",
        ),
        (days.ordinal([1.0, 2.0], codes=[5.0]).regression(), "parameters.values: expected at most 1 numbers, found 2"),
        (days.ordinal([1.0], codes=[np.inf]).regression(), "parameters.codes: expected finite numbers or NaN"),
        (
            days.ordinal([1.0], codes=[1.0], missing=1).regression(),
            "settings.missing: expected null or an integer below 1",
        ),
    ):
        with pytest.raises(ArchiveMalformed, match=re.escape(expected)):
            program.write(tmp_path)
    days.ordinal([1.0], codes=[np.nan]).regression().write(tmp_path)


@given(st.data())
def test_whatever_a_parameter_contains_is_read_or_refused(data):
    program = attendees()
    digest = data.draw(st.sampled_from(sorted(program.arrays)))
    array = program.arrays[digest].copy()
    raw = array.reshape(-1).view(np.uint8)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with_digest = sha256(array.tobytes()).hexdigest()
    content = json.dumps(document_of(program.graph, program.statistics)).replace(digest, with_digest)
    arrays = {**program.arrays, with_digest: array}
    used = array_sizes(read_document(content.encode()).graph)
    files = {DOCUMENT: content.encode(), **{parameter_path(each): arrays[each].tobytes() for each in used}}
    stored = {each: arrays[each].tobytes() for each in used}
    record = {"age": 1.0, "distance": None, "price": -2.0, "city": "Seoul", "day": 2.0}
    with suppress(ArchiveMalformed):
        archive = read_archive(MemoryTree(files))
        assert predict(archive.graph, stored, record)["value"].shape == (1,)


def test_what_cannot_be_read_is_not_written(tmp_path):
    plan = sentiment().plan()
    with pytest.raises(ValueError, match=r"a graph with whole arrays, found a part in linear\+0.weights"):
        write_archive(tmp_path, plan.graph, sentiment().arrays, sentiment().statistics)
    with pytest.raises(ValueError, match="expected one of <i4, <u8, <f8, found '<f4'"):
        parameter_of([1.0], "<f4")
    with pytest.raises(ArchiveMalformed, match="samples"):
        sentiment().write(tmp_path, [Sample({"review": None}, {})])
    assert list(tmp_path.iterdir()) == []
