"""Train the sentiment model and measure it on sentences that training never saw.

    python -m examples.text.train

Data: data/uci_sentences.tsv. A sentence that appears twice (letter case and punctuation aside) is used once, so
that none is on both sides of the split. 25 % are held out, with equal shares of each source and label. The
constants below were chosen by 5-fold cross-validation on the other 75 %.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from examples import no_bytecode
from examples.evaluate import accuracy_line, read_cases, truth_ranks

with no_bytecode():
    from examples.text.task.main import BUCKETS, buckets

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

HERE = Path(__file__).parent
SEED = 0
STRENGTH = 10.0  # scikit-learn's C: the inverse of the regularization


class Sentence(NamedTuple):
    source: str
    label: str
    text: str


def read_sentences(path: Path) -> list[Sentence]:
    """The distinct sentences of the data file, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        sentences = [Sentence(source, "positive" if label == "1" else "negative", text) for source, label, text in rows]
    distinct: dict[str, Sentence] = {}
    for sentence in sentences:
        distinct.setdefault(" ".join(re.findall(r"\w+", sentence.text.lower())), sentence)
    return list(distinct.values())


def split(sentences: list[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Training sentences, then held-out ones."""
    from sklearn.model_selection import train_test_split

    groups = [sentence.source + sentence.label for sentence in sentences]
    train, held_out = train_test_split(sentences, test_size=0.25, stratify=groups, random_state=SEED)
    return train, held_out


def matrix(sentences: list[Sentence]) -> csr_matrix:
    """One row per sentence, of length 1; one column per bucket."""
    from scipy.sparse import csr_matrix
    from sklearn.preprocessing import normalize

    rows = [buckets(sentence.text) for sentence in sentences]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.concatenate(rows)
    return normalize(csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), BUCKETS)))


# The number of threads decides in which order numbers are added, and so how they are rounded.
@threadpool_limits.wrap(limits=1)
def train_model(sentences: list[Sentence]) -> dict[str, NDArray[Any]]:
    from sklearn.linear_model import LogisticRegression

    labels = np.array([sentence.label == "positive" for sentence in sentences])
    fitted = LogisticRegression(C=STRENGTH, max_iter=1000).fit(matrix(sentences), labels)
    return {"weights": fitted.coef_[0].astype(np.float32), "bias": fitted.intercept_[0].astype(np.float32)}


def write_inputs(path: Path, sentences: list[Sentence]) -> None:
    lines = (json.dumps({"inputs": {"text": each.text}, "truth": each.label}) for each in sentences)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def main() -> None:
    train, held_out = split(read_sentences(HERE / "data" / "uci_sentences.tsv"))
    np.savez_compressed(HERE / "task" / "model.npz", **train_model(train))
    write_inputs(HERE / "inputs.jsonl", held_out)
    ranks = truth_ranks(HERE / "task", read_cases(HERE / "inputs.jsonl"))
    print(f"comments/sentiment: {accuracy_line(ranks)}")


if __name__ == "__main__":
    main()
