"""`walle pipeline`: trained models become folders that predict the same, and are looked at without a server."""

from __future__ import annotations

import json
import shutil

import joblib
import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.cli import pipeline_cascades
from walle.whitebox.archive import DOCUMENT, SAMPLES, read_archive
from walle.whitebox.compiling.compiler import LOWERINGS
from walle.whitebox.importing.libraries import EstimatorLibrary

# Programs: joblib counts processors by one, and kernels may have to be compiled.
pytestmark = pytest.mark.processes

TEXTS = ["a good film", "a bad film", "so good", "bad, bad, bad", "good caf\u00e9", "bad caf\u00e9"]


@pytest.fixture
def model(tmp_path):
    """The file of a trained pipeline over texts."""
    union = make_union(TfidfVectorizer(), TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)))
    trained = make_pipeline(union, LogisticRegression()).fit(TEXTS, ["yes", "no"] * 3)
    joblib.dump(trained, tmp_path / "model.joblib")
    return tmp_path / "model.joblib"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("exported") / "mood"


@pytest.fixture
def mood(walle, model, kept, tmp_path):
    """The folder of the model's pipeline, which is exported once."""
    if not kept.exists():
        assert walle("pipeline", "export", model, kept).status == 0
    return shutil.copytree(kept, tmp_path / "mood")


@pytest.fixture
def reviews(tmp_path):
    (tmp_path / "reviews.txt").write_text("\n".join([*TEXTS, ""]), encoding="utf-8")
    return tmp_path / "reviews.txt"


def test_a_model_becomes_the_folder_of_a_valid_pipeline(walle, model, reviews, tmp_path):
    done = walle("pipeline", "export", model, tmp_path / "mood", "--records", reviews, "--json")
    assert (done.status, done.json["samples"], done.json["records"]) == (0, 6, 6)
    assert done.json["columns"] == [{"name": "text", "type": "text"}]
    assert validate_tree(FolderTree(tmp_path / "mood")).problems == ()
    archive = read_archive(FolderTree(tmp_path / "mood"))
    assert archive.statistics.columns["text"].bytes_max == len("bad, bad, bad")
    samples = json.loads((tmp_path / "mood" / SAMPLES).read_text())["samples"]
    wanted = joblib.load(model).predict_proba([TEXTS[0]])[0]
    assert samples[0] == {
        "record": {"text": TEXTS[0]},
        "outputs": {**samples[0]["outputs"], "label": "yes", "probabilities": list(wanted)},
    }
    done = walle("pipeline", "check", tmp_path / "mood", "--json")
    assert (done.status, done.json["ok"], done.json["samples"]) == (0, True, 6)
    assert "a valid pipeline: " in walle("version", "validate", tmp_path / "mood").out
    assert "devices do not run tasks of the kind pipeline" in walle("device", "run", tmp_path / "mood").err


def test_a_pipeline_whose_plan_no_host_can_build_is_no_valid_version(walle, mood, monkeypatch):
    monkeypatch.delitem(LOWERINGS, "linear")
    found = walle("version", "validate", mood)
    assert found.status == 1
    (said,) = found.out.splitlines()
    assert said.startswith(f"{DOCUMENT}: expected operators that serving hosts have kernels for, found transformation ")
    assert "'linear'" in said
    whole = walle("version", "validate", mood, "--json")
    assert (whole.status, whole.json["ok"], [each["text"] for each in whole.json["problems"]]) == (1, False, [said])
    monkeypatch.setenv("WALLE_URL", "http://127.0.0.1:1")
    uploaded = walle("version", "upload", mood, "shop/mood", "1.0.0")
    assert uploaded.status == 1
    assert f"  {said}" in uploaded.err


def test_what_the_author_wrote_in_task_toml_stays(walle, model, reviews, tmp_path):
    walle("pipeline", "export", model, tmp_path / "mood", "--records", reviews)
    task = tmp_path / "mood" / "task.toml"
    task.write_text(task.read_text().replace('engine = "auto"', "cache = true"))
    walle("pipeline", "export", model, tmp_path / "mood", "--records", reviews)
    assert "cache = true" in task.read_text()


def test_records_are_predicted_and_one_that_is_refused_does_not_lose_the_others(walle, mood, tmp_path):
    done = walle("pipeline", "predict", mood, "--record", '{"text": "so good"}', "--json")
    assert done.json["results"][0]["label"] == "yes"
    (tmp_path / "two.jsonl").write_text('{"text": "so good"}\n\n{"text": "x%s"}\n' % ("x" * (1 << 20)))
    done = walle("pipeline", "predict", mood, "--records", tmp_path / "two.jsonl", "--json")
    assert done.status == 1
    first, second = done.json["results"]
    assert first["label"] == "yes"
    assert second == {"error": "text: expected a text of at most 1048576 bytes"}


def test_without_records_some_are_drawn_and_that_is_said(walle, model, tmp_path):
    done = walle("pipeline", "export", model, tmp_path / "mood", "--json")
    assert (done.json["samples"], done.json["records"]) == (20, 0)
    assert "samples are of records that were drawn" in done.err


def test_a_table_with_named_columns(walle, tmp_path):
    table = pd.DataFrame(
        {
            "age (years)": [1.0, np.nan, 30.0, 70.0, 40.0, 5.0],
            "city": ["Rome", None, "\u0141\u00f3d\u017a", "Rome", "Oslo", "Rome"],
            "not used": range(6),
            "review": TEXTS,
        }
    )
    columns = make_column_transformer(
        (SimpleImputer(add_indicator=True), ["age (years)"]),
        (OneHotEncoder(handle_unknown="ignore"), ["city"]),
        (CountVectorizer(), "review"),
    )
    joblib.dump(make_pipeline(columns, LogisticRegression()).fit(table, [0, 1] * 3), tmp_path / "model.pkl")
    table.to_csv(tmp_path / "table.csv", index=False)
    done = walle(
        "pipeline", "export", tmp_path / "model.pkl", tmp_path / "p", "--records", tmp_path / "table.csv", "--json"
    )
    assert done.status == 0, done.err
    assert [each["name"] for each in done.json["columns"]] == ["age (years)", "city", "review"]
    assert validate_tree(FolderTree(tmp_path / "p")).problems == ()


def test_a_file_of_lightgbm(walle, tmp_path):
    values = np.random.default_rng(1).normal(size=(100, 2))
    data = lightgbm.Dataset(values, (values[:, 0] > 0).astype(int), feature_name=["age", "fare"])
    lightgbm.train({"objective": "binary", "verbose": -1}, data, 3).save_model(tmp_path / "model.txt")
    done = walle("pipeline", "export", tmp_path / "model.txt", tmp_path / "p", "--json")
    assert (done.status, done.json["model"], done.json["samples"]) == (0, "model of LightGBM", 20)


def test_what_cannot_be_imported_is_refused_and_nothing_is_written(walle, tmp_path):
    joblib.dump(make_pipeline(CountVectorizer(), SVC()).fit(TEXTS, [0, 1] * 3), tmp_path / "model.joblib")
    done = walle("pipeline", "export", tmp_path / "model.joblib", tmp_path / "mood")
    assert done.status == 1
    assert "cannot export model.joblib: model.svc: SVC keeps its support vectors" in done.err
    assert not (tmp_path / "mood").exists()


def test_a_pipeline_that_would_predict_something_else_is_not_written(walle, model, tmp_path, monkeypatch):
    predictions = EstimatorLibrary.predictions
    monkeypatch.setattr(
        EstimatorLibrary,
        "predictions",
        lambda self, records: [{**each, "decision": (0.5,)} for each in predictions(self, records)],
    )
    done = walle("pipeline", "export", model, tmp_path / "mood")
    assert done.status == 1
    assert "does not predict what the Pipeline of scikit-learn predicts; nothing was written" in done.err
    assert "record 1: decision is" in done.err
    assert not (tmp_path / "mood").exists()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("model.onnx", b"", "expected .joblib, .pkl, .pickle, .txt, .json, .ubj, found model.onnx"),
        ("model.joblib", b"no pickle", "cannot read"),
        ("model.txt", b"no model", "LightGBM is no model file"),
        ("model.ubj", b"no model", "XGBoost is no JSON"),
    ],
)
def test_a_file_that_is_no_model(walle, tmp_path, file, content, said):
    (tmp_path / file).write_bytes(content)
    done = walle("pipeline", "export", tmp_path / file, tmp_path / "mood")
    assert done.status in (1, 2)
    assert said in done.err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.jsonl", '{"txt": "a"}', "r.jsonl:1: expected text, a text, found txt"),
        ("r.jsonl", '{"text": 1}', "r.jsonl:1: expected text to be a text, found '1'"),
        ("r.jsonl", "[1]", "expected a JSON object in line 1, found [1]"),
        ("r.jsonl", "{", "expected JSON in line 1"),
        ("r.csv", "", "expected records in"),
        ("r.csv", "id\n1\n", "r.csv:2: expected text, a text, found nothing"),
    ],
)
def test_records_of_another_form_are_refused_with_their_line(walle, model, tmp_path, name, content, said):
    (tmp_path / name).write_text(content)
    done = walle("pipeline", "export", model, tmp_path / "mood", "--records", tmp_path / name)
    assert done.status == 2
    assert said in done.err


def test_check_says_what_a_push_would_say(walle, mood):
    (mood / "train.py").write_text("print('trained')")
    done = walle("pipeline", "check", mood)
    assert (done.status, done.out) == (
        1,
        "train.py: expected no code in a pipeline: name it in files.exclude, found a Python source\n",
    )


def test_check_predicts_the_samples(walle, mood):
    samples = json.loads((mood / SAMPLES).read_text())
    samples["samples"][2]["outputs"]["decision"] = [99.0]
    (mood / SAMPLES).write_text(json.dumps(samples))
    done = walle("pipeline", "check", mood)
    assert done.status == 1
    assert done.out.startswith("samples/predictions.json: sample 3: decision is (")


def test_a_plan_is_explained_and_drawn(walle, mood, tmp_path):
    done = walle("pipeline", "explain", mood, "--svg", tmp_path / "plan.svg")
    assert "executed by tokenize, count_ngrams" in done.out
    assert (tmp_path / "plan.svg").read_text().startswith("<svg")
    found = walle("pipeline", "explain", mood, "--json").json
    assert [stage["physical"] is not None for stage in found["stages"]] == [True] * len(found["stages"])
    assert walle("pipeline", "explain", tmp_path).status == 1


@pytest.fixture(scope="module")
def held_out(tmp_path_factory):
    """Reviews with labels, three of four as plain as their first word."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(3000):
        label = str(rng.choice(["yes", "no"]))
        plain = "good" if label == "yes" else "bad"
        words = rng.choice(["film", "caf\u00e9", "so", "a"], 3).tolist()
        rows.append({"text": " ".join([plain] * int(rng.integers(1, 4)) + words), "mood": label})
    path = tmp_path_factory.mktemp("reviews") / "held_out.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_a_cascade_is_learned_explained_and_says_when_it_answered(walle, model, held_out, tmp_path, monkeypatch):
    # What a record costs is measured on a machine that may be busy: here a cascade always pays.
    monkeypatch.setattr(pipeline_cascades, "cost_of", lambda archive, *_: 1.0 if archive.cascade else 2.0)
    given = ("--cascade", held_out, "--label", "mood", "--tolerance", "1")
    done = walle("pipeline", "export", model, tmp_path / "mood", *given, "--json")
    assert done.status == 0, done.err
    evidence = done.json["cascade"]["evidence"]
    assert (evidence["truth"], evidence["records"], evidence["tolerance"]) == ("labels", 1500, 0.01)
    assert evidence["answered"] > 0.5
    assert evidence["cascade_accuracy"] >= evidence["pipeline_accuracy"] - 0.01
    assert walle("pipeline", "check", tmp_path / "mood", "--json").json["ok"]
    assert validate_tree(FolderTree(tmp_path / "mood")).problems == ()
    assert "cascade: a prefix answers where it is at least" in walle("pipeline", "explain", tmp_path / "mood").out
    asked = ("pipeline", "predict", tmp_path / "mood", "--json", "--record")
    assert walle(*asked, '{"text": "good good good"}').json["results"][0]["cascade"] is True
    archive = read_archive(FolderTree(tmp_path / "mood"))
    samples = json.loads((tmp_path / "mood" / SAMPLES).read_text())["samples"]
    trained = joblib.load(model).predict_proba([each["record"]["text"] for each in samples])
    differ = [each["outputs"]["probabilities"] != list(own) for each, own in zip(samples, trained, strict=True)]
    assert any(differ)
    assert archive.cascade is not None


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--label", "mood"], 2, "expected --cascade with --label"),
        (["--cascade", "FILE"], 1, "no prefix is sure enough: 1500 held-out records"),
        (["--cascade", "FILE", "--label", "other"], 2, "record 1: expected other, the label, found none"),
        (["--cascade", "FILE", "--label", "text"], 2, "record 1: expected one of no, yes, found"),
    ],
)
def test_a_cascade_that_cannot_be_learned_is_refused(walle, model, held_out, tmp_path, arguments, status, said):
    arguments = [held_out if each == "FILE" else each for each in arguments]
    done = walle("pipeline", "export", model, tmp_path / "mood", *arguments)
    assert (done.status, said in done.err) == (status, True), done.err
    assert not (tmp_path / "mood").exists()


def test_a_cascade_that_does_not_pay_is_refused(walle, model, held_out, tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline_cascades, "cost_of", lambda archive, *_: 2.0 if archive.cascade else 1.0)
    done = walle("pipeline", "export", model, tmp_path / "mood", "--cascade", held_out, "--tolerance", "5")
    assert done.status == 1
    assert "no cascade pays" in done.err


def test_a_cascade_of_numbers_and_categories(walle, tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline_cascades, "cost_of", lambda archive, *_: 1.0 if archive.cascade else 2.0)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.normal(size=4000), "city": rng.choice(["a", "b", None], 4000)})
    labels = np.where(frame["age"] + (frame["city"] == "a") > 0.5, 1, 0)
    frame.loc[::7, "age"] = np.nan
    features = make_column_transformer((SimpleImputer(), ["age"]), (OneHotEncoder(), ["city"]))
    trained = make_pipeline(features, LogisticRegression()).fit(frame, labels)
    joblib.dump(trained, tmp_path / "model.joblib")
    frame.assign(came=labels).to_json(tmp_path / "people.jsonl", orient="records", lines=True)
    given = ("--cascade", tmp_path / "people.jsonl", "--label", "came", "--tolerance", "2")
    done = walle("pipeline", "export", tmp_path / "model.joblib", tmp_path / "visits", *given, "--json")
    assert (done.status, done.json["cascade"]["evidence"]["answered"]) == (0, 1.0), done.err
    assert walle("pipeline", "check", tmp_path / "visits", "--json").json["ok"]
