"""Claim: with a cascade a record costs a third of the time, and accuracy stays within 0.1 points.

Willump (MLSys 2020): a cheap prefix of a pipeline answers what it is sure of, the whole pipeline the rest. Two text
pipelines with large dictionaries (n-grams of three to five characters, of one word and of up to three) get a cascade as
`walle pipeline export --cascade` learns it, of reviews that the pipelines were not trained with:

- by their true labels (labelled): accuracy may be less by 0.1 points;
- by what the pipeline itself predicts for them (agreeing), for want of labels: the cascade may answer otherwise than
  the pipeline for one record in a thousand, whatever is right. The target is not about this one.

To be sure of so few takes thousands of reviews: below the stated scale it is one record in `one_in`.

Accuracy is then measured on reviews that nobody saw before, and what a record costs in turns with the pipeline alone:
in processor time, one by one in the thread that asks, and as a batch on one core.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.whitebox.archives import Archives
from benchmarks.support.whitebox.cascades import Accuracies, bound, labels_of, speed_figures, taught
from benchmarks.support.whitebox.families import SCALE, TRAINED, as_records, sentiment
from benchmarks.support.whitebox.plans import read_folder
from benchmarks.support.whitebox.sentiment import SAMPLE
from walle.whitebox.cascades.learning import CascadeNotLearned

SUBJECTS: Final = {"c35w1": 3, "c35w13": 5}
"""The pipelines with the largest dictionaries, by their numbers."""
BENCHMARK = Benchmark(
    "whitebox_cascade",
    scale={name: SCALE[name] for name in ("reviews", "words")} | {
        "taught": Dimension(40_000, 700),
        "one_in": Dimension(1000, 50),
        "judged": Dimension(20_000, 200),
        "predictions": Dimension(1000, 50),
        "rounds": Dimension(5, 1),
    },
    targets=(
        Target("labelled_speedup", at_least=3),
        Target("labelled_loss_points", at_most=0.1),
    ),
    assumptions=(
        *TRAINED,
        "a prefix is trained with as many reviews as its pipeline was, others, so that it wins nothing by knowing more",
        "where it is not worse all the same it answers everything: see agreeing figures, where it has to be the same",
        "sentiment lies in 800 words of the generated reviews, more plainly than in real ones",
        "the figure of a target is that of the pipeline that gains least",
    ),
)  # fmt: skip
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    family = sentiment(BENCHMARK)
    archives = Archives(family)
    archives.folders_of(SUBJECTS.values())
    reviews = family.held_out(BENCHMARK.size("taught") + BENCHMARK.size("judged"))
    records, labels = as_records(reviews.texts), reviews.labels.tolist()
    figures: dict[str, float] = {}
    for name, number in SUBJECTS.items():
        figures |= subject_figures(name, archives, number, records, labels)
    for kind in ("labelled", "agreeing"):
        for figure, worst in (("speedup", min), ("batch_speedup", min), ("loss_points", max)):
            figures[f"{kind}_{figure}"] = worst(figures[f"{name}_{kind}_{figure}"] for name in SUBJECTS)
    return BENCHMARK.judge(figures)


def subject_figures(
    name: str, archives: Archives, number: int, records: list[Any], labels: list[Any]
) -> dict[str, float]:
    """Measure one pipeline, with a cascade by labels and with one by its own predictions."""
    imported, statistics = archives.imported(number), read_folder(archives.folder(number)).statistics
    whole = bound(read_folder(archives.folder(number)), imported.arrays)
    predicted, until = labels_of(whole, records), BENCHMARK.size("taught")
    most_trained = round(SAMPLE * BENCHMARK.size("reviews"))
    figures: dict[str, float] = {}
    for kind, truth in (("labelled", labels[:until]), ("agreeing", None)):
        about = f"{name}_{kind}"
        try:
            learned = taught(
                imported,
                statistics,
                records[:until],
                predicted[:until],
                labels=truth,
                tolerance=1 / BENCHMARK.amount("one_in"),
                most_trained=most_trained,
            )
        except CascadeNotLearned as error:
            console.print(f"{about}: {error}")
            figures |= dict.fromkeys((f"{about}_speedup", f"{about}_batch_speedup"), 1.0) | {
                f"{about}_loss_points": 0.0
            }
            continue
        cascade = bound(learned.archive, learned.arrays)
        vectors = cascade.vectors(1)
        found = Accuracies.of(
            predicted[until:], [cascade.predict(each, vectors) for each in records[until:]], labels[until:]
        )
        figures |= found.figures(about)
        some = records[until:][: BENCHMARK.size("predictions")]
        figures |= speed_figures(about, whole, cascade, some, BENCHMARK.size("rounds"))
        console.print(
            f"{about}: {figures[f'{about}_speedup']:.2f} times faster, {figures[f'{about}_batch_speedup']:.2f} in a"
            f" batch; the prefix answered {100 * found.answered:.1f} %; accuracy {100 * found.cascade:.2f} % instead of"
            f" {100 * found.whole:.2f} % (difference +- {100 * found.half_width:.2f})"
        )
    return figures


if __name__ == "__main__":
    sys.exit(main())
