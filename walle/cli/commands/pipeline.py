"""`walle pipeline`: from a trained model to a pipeline that can be pushed, and a look at those that are served."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.connection import connected, path
from walle.cli.declaring import command, group
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.output import Row, done, facts, heading, listing, say, show, warn
from walle.cli.waiting import waiting

app = group("Pipelines: trained models that serving hosts predict with.", name="pipeline")

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="The file of a trained model.", show_default=False)]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a pipeline.", show_default=False)]
Records = Annotated[
    Path | None,
    typer.Option("--records", metavar="FILE", help="Records: .jsonl, .csv with a header, or texts, one a line."),
]
Cascade = Annotated[
    Path | None,
    typer.Option("--cascade", metavar="FILE", help="Records, as --records, from which a cascade is learned."),
]
Label = Annotated[
    str | None, typer.Option("--label", metavar="NAME", help="What has the true label in the file of --cascade.")
]
Tolerance = Annotated[
    float,
    typer.Option(
        "--tolerance", metavar="POINTS", min=0.001, max=50, help="How much accuracy the cascade may cost, in points."
    ),
]
OneRecord = Annotated[str | None, typer.Option("--record", metavar="JSON", help="One record, as a JSON object.")]
Picture = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the plan into this file.")]


@command(
    app,
    "export",
    "walle pipeline export model.joblib mood --records reviews.csv",
    "walle pipeline export boosted.txt price",
    "walle pipeline export boosted.ubj price --records recent.jsonl",
    "walle pipeline export model.joblib mood --cascade held_out.csv --label sentiment",
)
def export(
    model: Model,
    folder: Folder,
    *,
    records: Records = None,
    cascade: Cascade = None,
    label: Label = None,
    tolerance: Tolerance = 0.1,
) -> None:
    """Make the folder of a pipeline of a trained model.

    Models: scikit-learn by joblib or pickle (.joblib, .pkl), LightGBM (.txt), XGBoost (.json, .ubj). Loading a joblib
    or pickle file EXECUTES what is in it: do so only with files that you or people you trust have made. It happens here
    and nowhere else; servers get plain arrays of numbers.

    The folder gets pipeline.json, parameters/, samples/ and, unless there is one, task.toml. With --records the samples
    and the statistics are of your records, without it of records that are drawn. The pipeline predicts all samples
    before anything is written; if it does not predict what the model does, or cannot, the status is 1.

    With --cascade a cheap part is learned that answers records by itself where it is sure. Predictions are then NOT
    always the model's: accuracy may be less by the tolerance. Give records that the model was not trained with, with
    their true labels (--label); without labels it is the model's predictions that the cascade has to meet.
    """
    from walle.cli.pipeline_cascades import learn
    from walle.cli.pipeline_export import export as write
    from walle.cli.pipeline_export import statistics_of
    from walle.cli.pipeline_models import load_model
    from walle.cli.pipeline_records import read_records
    from walle.whitebox.archive.cascade import cascade_document_of

    with waiting(f"Reading {model}") as shown:
        trained = load_model(model)
        if label and not cascade:
            raise WrongUsage("expected --cascade with --label")
        source = records or cascade
        given = read_records(source, trained.imported.graph) if source else None
        learned = None
        if cascade:
            shown.say("Learning a cascade")
            learned = learn(trained, cascade, label, tolerance / 100, statistics_of(trained, given or ()))
        shown.say("Predicting samples with both")
        made = write(trained, folder, given, learned)
    document = {
        "folder": str(folder),
        "model": trained.name,
        "columns": [{"name": each.name, "type": each.type} for each in made.archive.graph.columns],
        "transformations": len(made.archive.graph.transformations),
        "outputs": list(made.archive.graph.outputs),
        "parameters": len(made.archive.array_sizes),
        "parameter_bytes": made.bytes,
        "samples": len(made.samples),
        "records": made.archive.statistics.records,
        "cascade": made.archive.cascade and cascade_document_of(made.archive.cascade),
    }
    show(document, _tell_export)
    if given is None:
        warn("samples are of records that were drawn, and there are no statistics: give some of yours with --records")


def _tell_export(made: Row) -> None:
    from walle.whitebox.archive.cascade import told_cascade

    steps, samples = (humanize.count(made[name], name[:-1]) for name in ("transformations", "samples"))
    size = humanize.size(made["parameter_bytes"])
    arrays = humanize.count(made["parameters"], "array")
    done(f"{made['folder']}: {made['model']} as {steps}, {size} in {arrays}; {samples} predicted alike")
    facts(
        {
            "inputs": ", ".join(f"{column['name']} ({column['type']})" for column in made["columns"]),
            "outputs": ", ".join(made["outputs"]),
            **({"cascade": told_cascade(made["cascade"])} if made["cascade"] else {}),
        }
    )


@command(app, "check", "walle pipeline check mood", "walle pipeline check mood --json")
def check(folder: Folder) -> None:
    """Check the folder of a pipeline as a push does, and predict its samples.

    Problems are printed one per line, and the status is 1. Nothing is executed that is in the folder.
    """
    from walle.cli.pipeline_archives import checked

    with waiting(f"Checking {folder}"):
        found = checked(folder)
    show(found, _tell_check)
    if not found["ok"]:
        raise typer.Exit(CommandFailed.status)


def _tell_check(found: Row) -> None:
    for problem in found["problems"]:
        say(problem)
    if found["ok"]:
        samples = humanize.count(found["samples"], "sample")
        done(f"a valid pipeline: {humanize.size(found['parameter_bytes'])} of parameters, {samples} predicted alike")
    elif sys.stdout.isatty():
        say(f"\n{humanize.count(len(found['problems']), 'problem')} to fix.")


@command(
    app,
    "explain",
    "walle pipeline explain mood",
    "walle pipeline explain mood --svg plan.svg",
    "walle pipeline explain mood --json",
)
def explain(folder: Folder, *, svg: Picture = None) -> None:
    """Show the plan of a pipeline: its stages, which kernels execute them, and which rules led to them."""
    from walle.cli.pipeline_archives import explained, read_folder

    with waiting(f"Planning {folder}"):
        found = explained(read_folder(folder))
    show(found.document, lambda _: say(found.text))
    if svg:
        try:
            svg.write_text(found.svg, encoding="utf-8")
        except OSError as error:
            raise WrongUsage(f"cannot write {svg}: {error.strerror}") from error
        done(f"the plan is drawn in {svg}")


@command(
    app,
    "predict",
    """walle pipeline predict mood --record '{"text": "A lovely film"}'""",
    "walle pipeline predict mood --records reviews.txt --json",
)
def predict(folder: Folder, *, record: OneRecord = None, records: Records = None) -> None:
    """Predict records with the pipeline of a folder, in this process, as serving hosts do."""
    from walle.cli.pipeline_archives import open_pipeline, predicted
    from walle.cli.pipeline_records import read_record, read_records

    if (record is None) == (records is None):
        raise WrongUsage("expected one of --record and --records")
    with waiting(
        f"Reading {folder}; the first time on a machine, what all pipelines share is compiled, for half a minute"
    ):
        archive, pipeline = open_pipeline(folder)
        given = read_records(records, archive.graph) if records else [read_record(record or "", archive.graph)]
        found = [predicted(pipeline, each) for each in given]
    refused = any("error" in each for each in found)
    names = [*archive.graph.outputs, *(["cascade"] if archive.cascade else []), *(["error"] if refused else [])]
    columns = {name: _cell(name) for name in names}
    show({"results": found}, lambda document: listing(document, columns, nothing="No records."))
    if refused:
        raise typer.Exit(CommandFailed.status)


def _cell(name: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        value = row.get(name, "")
        return " ".join(f"{each:.6g}" for each in value) if isinstance(value, tuple) else str(value)

    return cell


@command(app, "list", "walle pipeline list", "walle pipeline list --scenario shop --search mood")
def list_(
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="SCENARIO", parser=arguments.slug, help="Only pipelines of this scenario."),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", "-s", metavar="TEXT", help="Only those whose name contains this text.")
    ] = None,
    limit: arguments.Limit = 30,
) -> None:
    """List the pipelines you may see: what they answer, where, and how much they predicted in the last minutes."""
    with connected() as client:
        page = client.listed("pipelines", limit, scenario=scenario, q=search)
    columns = {
        "name": lambda row: row["name"],
        "newest": lambda row: row["version"],
        "answers": _answering,
        "hosts": lambda row: f"{row['hosts']:,}" + (f", {row['troubled']} in trouble" if row["troubled"] else ""),
        **{title: _figure(title) for title in ("records/s", "failed", "p50", "p99")},
    }
    show(page, lambda _: listing(page, columns, nothing="No pipeline fits."))


def _answering(row: Row) -> str:
    """Return which versions answer callers of which apps, the newest release first."""
    found = (f"{each['app']}: {each['version']} for {each['share_percent']:g} %" for each in row["offerings"])
    return "retired" if row["retired"] else "; ".join(found)


def _figure(title: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        figures = row["figures"]
        match title:
            case "records/s":
                return f"{figures['records_per_s']:.3g}" if figures["records"] else ""
            case "failed":
                return f"{figures['failed']:,}" if figures["failed"] else ""
        milliseconds = figures[f"{title}_ms"]
        return "" if milliseconds is None else humanize.milliseconds(milliseconds)

    return cell


@command(app, "show", "walle pipeline show shop/mood", "walle pipeline show shop/mood --json")
def show_(task: arguments.Task) -> None:
    """Show one pipeline: what it takes and answers, its versions, and where each is installed."""
    with connected() as client:
        found = client.get(path("pipelines", task))
    show(found, _tell_pipeline)


def _tell_pipeline(found: Row) -> None:
    facts(
        {
            "pipeline": found["name"],
            "what": found["description"],
            "inputs": ", ".join(f"{name} ({each['type']})" for name, each in found["inputs"].items()),
            "outputs": ", ".join(found["outputs"]),
            "callers get": _answering(found),
        }
    )
    heading("Versions")
    versions: dict[str, Callable[[Row], str]] = {
        "version": lambda row: row["version"],
        "size": lambda row: humanize.size(row["size"]),
        "engine": lambda row: row["serving"].get("engine", ""),
        **{title: _figure(title) for title in ("records/s", "failed", "p50", "p99")},
    }
    listing({"results": found["versions"]}, versions, nothing="None: push a tag, or upload one.")
    if found["plans"]:
        heading("Installed")
        plans: dict[str, Callable[[Row], str]] = {
            "host": lambda row: row["host"],
            "version": lambda row: row["version"],
            "state": lambda row: "lost" if row["lost"] else row["state"],
            "problem": lambda row: row["problem"],
        }
        listing({"results": found["plans"]}, plans, nothing="")


@command(
    app,
    "ask",
    """walle pipeline ask shop/mood --app market --caller ada --record '{"text": "A lovely film"}'""",
    "walle pipeline ask shop/mood --app market --caller ada --records recent.jsonl --json",
)
def ask(
    task: arguments.Task,
    *,
    of: Annotated[
        str, typer.Option("--app", metavar="APP", parser=arguments.slug, help="The app that it is released to.")
    ],
    caller: Annotated[str, typer.Option("--caller", metavar="ID", help="For whom: it decides which version answers.")],
    record: OneRecord = None,
    records: Records = None,
) -> None:
    """Have the server predict records with the version that it has for a caller.

    The token needs the permission `predict` in the app. Records are JSON Lines. The status is 1 if some were refused.
    """
    from walle.cli.pipeline_records import read_objects

    if (record is None) == (records is None):
        raise WrongUsage("expected one of --record and --records")
    given = read_objects(records, record)
    with connected() as client:
        found = client.predict(path(of, task), {"records": given, "caller": caller})
    show(found, _tell_answers)
    if found["problems"]:
        raise typer.Exit(CommandFailed.status)


def _tell_answers(found: Row) -> None:
    refused = {each["record"]: f"{each['field']}: expected {each['expected']}" for each in found["problems"]}
    rows = [
        {"error": refused[index]} if each is None else {name: _flat(value) for name, value in each.items()}
        for index, each in enumerate(found["predictions"])
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    listing({"results": rows}, {name: _cell(name) for name in names}, nothing="No records.")
    done(f"version {found['version']} answered")


def _flat(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
