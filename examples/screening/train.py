"""Train a pipeline of many models on the breast cancer data that scikit-learn has, and export it as a pipeline task.

    python -m examples.screening.train

Of 30 measurements of cells PCA, k-means and a tree featurizer make features, a forest adds its probabilities, and a
last forest decides. 25 % of the cases are held out; on them it is measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from examples.evaluate import accuracy_line
from examples.pipelines import export_task

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

HERE = Path(__file__).parent
SEED = 0


# The number of threads decides in which order numbers are added, and so how they are rounded.
@threadpool_limits.wrap(limits=1)
def train_model(rows: Any, labels: Any) -> Pipeline:
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.ensemble import RandomForestClassifier, RandomTreesEmbedding, StackingClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import StandardScaler

    leaves = RandomTreesEmbedding(20, max_depth=4, sparse_output=False, random_state=SEED)
    features = [("pca", PCA(8)), ("clusters", KMeans(6, n_init=4, random_state=SEED)), ("leaves", leaves)]
    forest = RandomForestClassifier(40, max_depth=6, random_state=SEED)
    last = RandomForestClassifier(20, max_depth=4, random_state=SEED)
    steps = [
        ("missing", SimpleImputer(strategy="median")),
        ("scale", StandardScaler()),
        ("features", FeatureUnion(features)),
        ("model", StackingClassifier([("forest", forest)], last, cv=5, passthrough=True)),
    ]
    return Pipeline(steps).fit(rows, labels)


def split() -> tuple[list[str], Any, Any, Any, Any]:
    """The names of the measurements; training rows and labels, then held-out ones."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    data = load_breast_cancer()
    labels = np.array(["malignant", "benign"])[data.target]
    train, held_out, labels, truth = train_test_split(
        data.data, labels, test_size=0.25, stratify=labels, random_state=SEED
    )
    return [name.replace(" ", "_") for name in data.feature_names], train, labels, held_out, truth


def held_out_cases() -> tuple[list[dict[str, float]], list[str]]:
    """The records that training never saw, and the label of each."""
    names, _, _, rows, truth = split()
    return [dict(zip(names, row, strict=True)) for row in rows.tolist()], truth.tolist()


def main() -> None:
    import numpy as np
    import pyarrow as pa

    names, rows, labels, held_out, truth = split()
    # A table has the names of columns, which the pipeline's records then have too.
    model = train_model(pa.table(dict(zip(names, rows.T, strict=True))), labels)
    export_task(model, HERE / "task", held_out_cases()[0])
    right = model.predict(pa.table(dict(zip(names, held_out.T, strict=True)))) == truth
    print(f"clinic/screening: {accuracy_line(np.where(right, 1, np.inf))}")


if __name__ == "__main__":
    main()
