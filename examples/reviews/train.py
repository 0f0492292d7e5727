"""Train a sentiment pipeline on the sentences of examples/text, and export it as the files of a pipeline task.

    python -m examples.reviews.train

A TF-IDF of words and pairs of words beside one of runs of letters, and a logistic regression. 25 % of the sentences are
held out; on them it is measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from examples.evaluate import accuracy_line
from examples.pipelines import export_task
from examples.text.train import Sentence, read_sentences, split

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

HERE = Path(__file__).parent
SENTENCES = HERE.parent / "text" / "data" / "uci_sentences.tsv"
SEED = 0


# The number of threads decides in which order numbers are added, and so how they are rounded.
@threadpool_limits.wrap(limits=1)
def train_model(sentences: list[Sentence]) -> Pipeline:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import FeatureUnion, Pipeline

    features = FeatureUnion(
        [
            ("words", TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)),
            ("letters", TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), min_df=4, sublinear_tf=True)),
        ]
    )
    model = Pipeline([("features", features), ("model", LogisticRegression(C=10, random_state=SEED))])
    return model.fit([each.text for each in sentences], [each.label for each in sentences])


def main() -> None:
    import numpy as np

    train, held_out = split(read_sentences(SENTENCES))
    model = train_model(train)
    export_task(model, HERE / "task", [{"text": each.text} for each in held_out])
    right = model.predict([each.text for each in held_out]) == np.array([each.label for each in held_out])
    print(f"comments/mood: {accuracy_line(np.where(right, 1, np.inf))}")


if __name__ == "__main__":
    main()
