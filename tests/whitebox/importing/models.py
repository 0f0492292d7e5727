"""Small trained models of all kinds that can be imported, and records of the kinds that they take."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn import ensemble, linear_model, naive_bayes, tree
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC, LinearSVR

RANDOM = 7
WORDS = [
    *("good", "bad", "film", "a", "an", "the", "plot_1", "x", "2"),
    *("caf\u00e9", "CAFE\u0301", "\u0141\u00f3d\u017a", "\U0001f642", "\u00dfe", "na\u00efve"),
]
COLORS = ["red", "gr\u00fcn", "blue", "", "e\u0301"]


def _texts(random: np.random.Generator) -> list[str]:
    return [" ".join(random.choice(WORDS, random.integers(1, 12))) for _ in range(80)]


def _numbers(random: np.random.Generator, *, missing: float = 0.0) -> np.ndarray:
    values = random.normal(size=(120, 4)) * [1, 10, 0.1, 1000] + [0, 5, 0, -300]
    values[random.random(values.shape) < missing] = np.nan
    return values


def _target(values: np.ndarray, classes: int) -> np.ndarray:
    score = np.nan_to_num(values[:, 0]) + np.nan_to_num(values[:, 1]) / 10
    return np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))


def _names(labels: np.ndarray) -> np.ndarray:
    return np.array(["no", "yes", "maybe"])[labels]


@cache
def trained(build: Callable[[], Any], kind: str, classes: int) -> Any:
    """Return the model that `build` makes, trained on data of a kind."""
    random = np.random.default_rng(RANDOM)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        match kind:
            case "texts":
                texts = _texts(random)
                labels = np.array([len(text) % max(classes, 2) for text in texts])
                return build().fit(texts, labels if classes else labels * 1.5)
            case "mixed":
                values = _numbers(random, missing=0.1)
                colors = random.choice(np.array([*COLORS, None], object), 120)
                texts = np.array((_texts(random) * 2)[:120], object)
                sizes = random.choice([1.0, 2.5, 7.0, np.nan], 120)
                rows = np.column_stack([values[:, :2].astype(object), colors, texts, sizes.astype(object)])
                return build().fit(rows, _names(_target(values, 2)))
        values = _numbers(random, missing=0.15 if kind == "missing" else 0.0)
        if kind == "counts":
            values = np.abs(values).round()
        target = _names(_target(values, classes)) if classes else np.nan_to_num(values[:, 0]) + 1
        return build().fit(values, np.abs(target) if not classes else target)


@dataclass(frozen=True)
class Zoo:
    """A model to be trained on data of a kind: texts, numbers, missing (numbers with gaps), counts, mixed."""

    build: Callable[[], Any]
    kind: str
    classes: int = 2

    @property
    def model(self) -> Any:
        return trained(self.build, self.kind, self.classes)


def scaled(last: Any, *steps: Any) -> Callable[[], Any]:
    return lambda: make_pipeline(StandardScaler(), *steps, last)


def logistic(*steps: Any) -> Callable[[], Any]:
    return lambda: make_pipeline(*steps, linear_model.LogisticRegression(max_iter=300))


def mixed(last: Any, **settings: Any) -> Callable[[], Any]:
    """A pipeline over two numbers, a category, a text and a category that is a number."""
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    branches = [
        ("numbers", numbers, [0, 1]),
        ("color", OneHotEncoder(handle_unknown="ignore"), [2]),
        ("text", TfidfVectorizer(ngram_range=(1, 2)), 3),
        ("size", OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=35), [4]),
    ]
    return lambda: make_pipeline(ColumnTransformer(branches, **settings), last)


FOREST = {"n_estimators": 6, "max_depth": 4, "random_state": RANDOM}
TEXTS = {
    "words": logistic(CountVectorizer()),
    "binary words": logistic(CountVectorizer(binary=True, ngram_range=(1, 3))),
    "one letter": logistic(CountVectorizer(token_pattern=r"(?u)\b\w+\b", lowercase=False)),
    "four letters": logistic(CountVectorizer(token_pattern=r"(?u)\b\w{4,}\b")),
    "not spaces": logistic(CountVectorizer(token_pattern=r"(?u)\S+", ngram_range=(2, 3))),
    "stop words": logistic(TfidfVectorizer(stop_words="english")),
    "characters": logistic(TfidfVectorizer(analyzer="char", ngram_range=(1, 3))),
    "inside words": logistic(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5))),
    "unicode accents": logistic(TfidfVectorizer(strip_accents="unicode", norm="l1")),
    "ascii accents": logistic(TfidfVectorizer(strip_accents="ascii", norm=None, sublinear_tf=True)),
    "no idf": logistic(TfidfVectorizer(use_idf=False, sublinear_tf=True)),
    "hashed": logistic(HashingVectorizer(n_features=64)),
    "hashed characters": logistic(HashingVectorizer(n_features=97, analyzer="char_wb", ngram_range=(1, 3), norm=None)),
    "hashed presence": logistic(HashingVectorizer(n_features=32, binary=True, alternate_sign=True)),
    "hashed counts": logistic(
        HashingVectorizer(n_features=1 << 16, alternate_sign=False, norm="l1"), TfidfTransformer()
    ),
    "union": logistic(
        FeatureUnion(
            [("words", TfidfVectorizer()), ("letters", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)))],
            transformer_weights={"letters": 0.5},
        )
    ),
    "best words": logistic(CountVectorizer(), SelectKBest(k=5)),
    "topics": logistic(make_union(make_pipeline(TfidfVectorizer(), TruncatedSVD(3)), CountVectorizer())),
    "naive Bayes": lambda: make_pipeline(CountVectorizer(), naive_bayes.MultinomialNB()),
    "complement Bayes": lambda: make_pipeline(TfidfVectorizer(), naive_bayes.ComplementNB(norm=True)),
    "Bernoulli Bayes": lambda: make_pipeline(CountVectorizer(), naive_bayes.BernoulliNB(binarize=1.0)),
    "margin": lambda: make_pipeline(TfidfVectorizer(), LinearSVC()),
    "gradient descent": lambda: make_pipeline(TfidfVectorizer(), linear_model.SGDClassifier(loss="log_loss")),
    "ridge": lambda: make_pipeline(TfidfVectorizer(), linear_model.RidgeClassifier()),
    "text trees": lambda: make_pipeline(TfidfVectorizer(), ensemble.RandomForestClassifier(**FOREST)),
}
NUMBERS = {
    "min and max": logistic(MinMaxScaler(clip=True), PCA(2, whiten=True)),
    "maximum": logistic(MaxAbsScaler(), Normalizer()),
    "quantiles": logistic(RobustScaler(), Normalizer("max")),
    "above": logistic(make_union(Binarizer(threshold=0.5), StandardScaler())),
    "functions": logistic(
        make_union(make_pipeline(FunctionTransformer(np.abs), FunctionTransformer(np.log1p)), StandardScaler())
    ),
    "as it is": logistic(
        FeatureUnion([("same", "passthrough"), ("squares", FunctionTransformer(np.square))]), StandardScaler()
    ),
    "incremental": scaled(linear_model.LogisticRegression(), IncrementalPCA(3)),
    "distances": scaled(linear_model.LogisticRegression(), KMeans(4, n_init=1, random_state=RANDOM)),
    "leaves": lambda: make_pipeline(
        ensemble.RandomTreesEmbedding(5, max_depth=3, random_state=RANDOM), linear_model.LogisticRegression()
    ),
    "important": scaled(
        linear_model.LogisticRegression(), SelectFromModel(linear_model.LogisticRegression()), VarianceThreshold()
    ),
    "perceptron": scaled(linear_model.Perceptron()),
    "boosted": lambda: ensemble.GradientBoostingClassifier(n_estimators=8, random_state=RANDOM),
    "calibrated": scaled(CalibratedClassifierCV(LinearSVC(), cv=2)),
    "soft vote": scaled(
        ensemble.VotingClassifier(
            [("l", linear_model.LogisticRegression()), ("t", tree.DecisionTreeClassifier(max_depth=3))],
            voting="soft",
            weights=[2, 1],
        )
    ),
    "hard vote": scaled(
        ensemble.VotingClassifier(
            [
                ("l", linear_model.LogisticRegression()),
                ("t", tree.DecisionTreeClassifier(max_depth=3)),
                ("p", LinearSVC()),
            ]
        )
    ),
    "stack": scaled(
        ensemble.StackingClassifier(
            [("l", linear_model.LogisticRegression()), ("t", tree.DecisionTreeClassifier(max_depth=3))],
            cv=2,
            passthrough=True,
        )
    ),
    "searched": lambda: GridSearchCV(
        make_pipeline(StandardScaler(), linear_model.LogisticRegression()), {"logisticregression__C": [1, 2]}, cv=2
    ),
}
THREE = ("min and max", "leaves", "perceptron", "boosted", "soft vote", "hard vote", "stack")
MISSING = {
    "imputed": logistic(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()),
    "forest": lambda: ensemble.RandomForestClassifier(**FOREST),
    "extra trees": lambda: ensemble.ExtraTreesClassifier(**FOREST),
    "tree": lambda: tree.DecisionTreeClassifier(max_depth=4),
    "histograms": lambda: ensemble.HistGradientBoostingClassifier(max_iter=8, max_leaf_nodes=5),
}
REGRESSIONS = {
    "linear": (linear_model.LinearRegression, "numbers"),
    "ridge": (linear_model.Ridge, "numbers"),
    "lasso": (linear_model.Lasso, "numbers"),
    "support": (scaled(LinearSVR()), "numbers"),
    "Poisson": (scaled(linear_model.PoissonRegressor()), "numbers"),
    "boosted": (lambda: ensemble.GradientBoostingRegressor(n_estimators=8), "numbers"),
    "zero boosted": (lambda: ensemble.GradientBoostingRegressor(n_estimators=8, init="zero", loss="huber"), "numbers"),
    "tree": (lambda: tree.DecisionTreeRegressor(max_depth=4), "missing"),
    "forest": (lambda: ensemble.RandomForestRegressor(**FOREST), "missing"),
    "histograms": (lambda: ensemble.HistGradientBoostingRegressor(max_iter=8, loss="poisson"), "missing"),
    "vote": (
        lambda: ensemble.VotingRegressor([("l", linear_model.Ridge()), ("t", tree.DecisionTreeRegressor(max_depth=3))]),
        "numbers",
    ),
    "stack": (
        lambda: ensemble.StackingRegressor([("l", linear_model.Ridge()), ("k", linear_model.Lasso())], cv=2),
        "numbers",
    ),
}
MIXED = {
    "columns": mixed(linear_model.LogisticRegression()),
    "weighted columns": mixed(linear_model.LogisticRegression(), transformer_weights={"text": 2.0}, sparse_threshold=0),
    "columns to trees": mixed(ensemble.GradientBoostingClassifier(n_estimators=5)),
    "ordinals": lambda: make_pipeline(
        make_column_transformer(
            (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2), [2, 4]),
            (SimpleImputer(strategy="constant", fill_value=3), [0]),
        ),
        ensemble.RandomForestClassifier(**FOREST),
    ),
    "targets": lambda: make_pipeline(
        make_column_transformer((TargetEncoder(), [2]), (SimpleImputer(), [1])), linear_model.LogisticRegression()
    ),
    "remainder": lambda: make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), [2]), ("drop", [3]), remainder="passthrough"
        ),
        ensemble.HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=5),
    ),
    "filled": lambda: make_pipeline(
        make_column_transformer(
            (
                make_pipeline(
                    SimpleImputer(missing_values=None, strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
                ),
                [2],
            ),
            (CountVectorizer(), 3),
        ),
        linear_model.LogisticRegression(),
    ),
    "dropped": lambda: make_pipeline(
        make_column_transformer((OneHotEncoder(drop="first", handle_unknown="ignore"), [2])),
        linear_model.LogisticRegression(),
    ),
    "refused": lambda: make_pipeline(
        make_column_transformer((OneHotEncoder(), [2])), linear_model.LogisticRegression()
    ),
}
ZOO = {
    **{f"texts: {name}": Zoo(build, "texts") for name, build in TEXTS.items()},
    **{
        f"texts, 3 classes: {name}": Zoo(TEXTS[name], "texts", 3)
        for name in ("words", "naive Bayes", "margin", "gradient descent")
    },
    **{f"numbers: {name}": Zoo(build, "numbers") for name, build in NUMBERS.items()},
    **{f"numbers, 3 classes: {name}": Zoo(NUMBERS[name], "numbers", 3) for name in THREE},
    **{f"missing: {name}": Zoo(build, "missing") for name, build in MISSING.items()},
    **{f"missing, 3 classes: {name}": Zoo(build, "missing", 3) for name, build in MISSING.items()},
    **{f"regression: {name}": Zoo(build, kind, 0) for name, (build, kind) in REGRESSIONS.items()},
    **{f"mixed: {name}": Zoo(build, "mixed") for name, build in MIXED.items()},
    "clusters": Zoo(scaled(MiniBatchKMeans(3, n_init=1, random_state=RANDOM)), "numbers"),
}

_letters = st.characters(exclude_categories=["Cs"])
_texts_of = st.one_of(
    st.lists(st.sampled_from([*WORDS, *(word.upper() for word in WORDS)]), max_size=8).map(" ".join),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(_letters, max_size=4)), max_size=8).map("\t \u2003".join),
    st.text(_letters, max_size=60),
    st.sampled_from(
        ["", " ", "good " * 3000, "\u0301" * 50, "\u0130\ufb03 \u00df\u1e9e \u2028caf\u0065\u0301", "\x1c a\x1fb"]
    ),
)
# Beside zero nothing is nearer to it than 1e-9: scikit-learn takes a norm below 2e-15 for zero, but not of sparse rows.
_finite = st.floats(-1e6, 1e6).map(lambda value: round(value, 9)) | st.sampled_from([0.0, -0.0, 1.0, 2.5, 7.0])
_gaps = st.none() | _finite
_colors = st.none() | st.sampled_from(COLORS) | st.text(_letters, max_size=3)
RECORDS = {
    "texts": st.fixed_dictionaries({"text": _texts_of}),
    "numbers": st.fixed_dictionaries({f"x{index}": _finite for index in range(4)}),
    "missing": st.fixed_dictionaries({f"x{index}": _gaps for index in range(4)}),
    "mixed": st.fixed_dictionaries({"x0": _gaps, "x1": _gaps, "x2": _colors, "x3": _texts_of, "x4": _gaps}),
}
