"""Trees, forests and boosted trees of scikit-learn. All but histogram boosting compare numbers rounded to float32."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from walle.whitebox.importing import answers
from walle.whitebox.importing.building import Array, Matrix, ModelAnswer, floats, integers
from walle.whitebox.importing.forest import Forest, Tree, TreeMalformed, at_most_single, ordered, packed
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use


def tree_classifier(use: Use) -> ModelAnswer:
    return _probable(use, [use.estimator])


def forest_classifier(use: Use) -> ModelAnswer:
    return _probable(use, use.estimator.estimators_)


def _probable(use: Use, estimators: Sequence[Any]) -> ModelAnswer:
    """Return the mean of the shares of classes in the leaves that are reached."""
    if use.estimator.n_outputs_ != 1:
        raise use.refuse("answers several labels at once")
    forest = _forest(use, [_tree(each.tree_) for each in estimators])
    return answers.of_probabilities(use, ensemble(use, forest, size=len(use.classes()), average=True))


def tree_regressor(use: Use) -> ModelAnswer:
    return ModelAnswer(
        value=ensemble(use, _forest(use, [_tree(use.estimator.tree_)]), size=use.estimator.n_outputs_).id
    )


def forest_regressor(use: Use) -> ModelAnswer:
    forest = _forest(use, [_tree(each.tree_) for each in use.estimator.estimators_])
    return ModelAnswer(value=ensemble(use, forest, size=use.estimator.n_outputs_, average=True).id)


def boosted_classifier(use: Use) -> ModelAnswer:
    scores = _boosted(use)
    if scores.size > 1:
        return answers.softmax(use, scores)
    # Here a score of zero is of the second class.
    label = use.builder.add("threshold", [scores.id], {"threshold": float(np.nextafter(0.0, -1.0))})
    # The exponential loss has half of the logarithm of the odds for its score.
    logits = answers.scaled(use, scores, 0.5) if use.estimator.loss == "exponential" else scores
    probabilities = answers.complement(use, use.step("sigmoid", logits))
    return ModelAnswer(label, probabilities.id, decision=scores.id, classes=use.classes())


def boosted_regressor(use: Use) -> ModelAnswer:
    return ModelAnswer(value=_boosted(use).id)


def _boosted(use: Use) -> Matrix:
    model = use.estimator
    if model.init is not None and model.init != "zero":
        raise use.refuse(f"begins with another model (init={type(model.init).__name__})")
    stages = model.estimators_
    trees = [_tree(each.tree_, float(model.learning_rate)) for stage in stages for each in stage]
    with warnings.catch_warnings(category=UserWarning, action="ignore"):
        # That the array has no names.
        base = model._raw_predict_init(np.zeros((1, model.n_features_in_)))[0]
    return _targeted(use, trees, stages.shape[1], base)


def histogram_classifier(use: Use) -> ModelAnswer:
    scores = _histograms(use)
    return answers.binary(use, scores) if scores.size == 1 else answers.softmax(use, scores)


def histogram_regressor(use: Use) -> ModelAnswer:
    scores = _histograms(use)
    logarithmic = use.estimator.loss in ("poisson", "gamma")
    return ModelAnswer(value=use.step("map", scores, {"function": "exp"}).id if logarithmic else scores.id)


def _histograms(use: Use) -> Matrix:
    model = use.estimator
    if model._preprocessor is not None:
        raise use.refuse("has categorical_features; encode them in a step before it")
    predictors = model._predictors
    trees = [_histogram_tree(each.nodes) for stage in predictors for each in stage]
    return _targeted(use, trees, len(predictors[0]), model._baseline_prediction.ravel())


def _histogram_tree(nodes: Array) -> Tree:
    leaf = nodes["is_leaf"].astype(bool)
    return ordered(
        nodes["feature_idx"],
        nodes["num_threshold"],
        nodes["missing_go_to_left"],
        left=np.where(leaf, -1, nodes["left"].astype(np.int64)),
        right=np.where(leaf, -1, nodes["right"].astype(np.int64)),
        value=nodes["value"],
    )


def random_trees_embedding(use: Use) -> Matrix:
    """A one for the leaf of each tree; leaves in the order of their numbers in scikit-learn."""
    trees = [_tree(each.tree_) for each in use.estimator.estimators_]
    forest = _forest(use, trees)
    columns, offset = [], 0
    for tree, categories in zip(trees, use.estimator.one_hot_encoder_.categories_, strict=True):
        place = {int(leaf): offset + index for index, leaf in enumerate(categories)}
        columns += [place.get(int(source), -1) for source in tree.source]
        offset += len(categories)
    made = use.builder.add(
        "tree_features",
        [use.matrix().id],
        {"size": offset, "single": False},
        nodes=forest.nodes,
        roots=forest.roots,
        depths=forest.depths,
        columns=integers(columns),
    )
    return Matrix(made, offset)


def _tree(tree: Any, factor: float = 1.0) -> Tree:
    """Return a tree whose values are the shares of classes, or the means, times a factor."""
    values = floats(tree.value).reshape(tree.node_count, -1) * factor
    missing = np.asarray(tree.missing_go_to_left, bool)
    thresholds = at_most_single(tree.threshold)
    children = {"left": tree.children_left, "right": tree.children_right}
    return ordered(tree.feature, thresholds, missing, **children, value=values)


def _forest(use: Use, trees: Sequence[Tree]) -> Forest:
    try:
        return packed(trees)
    except TreeMalformed as error:
        raise use.refuse(f"has {error}") from error


def _targeted(use: Use, trees: Sequence[Tree], size: int, base: Array) -> Matrix:
    """Trees that add to one score each, in turns, of one or several."""
    targets = integers(np.arange(len(trees)) % size) if size > 1 else None
    return ensemble(use, _forest(use, trees), size, targets=targets, base=base)


def ensemble(
    use: Use, forest: Forest, size: int, *, average: bool = False, targets: Array | None = None, base: Any = None
) -> Matrix:
    """Add an ensemble of trees, whose thresholds say already how numbers are rounded."""
    return use.step(
        "trees",
        use.matrix(),
        {"size": int(size), "average": average, "single": False},
        int(size),
        nodes=forest.nodes,
        roots=forest.roots,
        depths=forest.depths,
        values=forest.values,
        targets=targets,
        base=None if base is None else floats(base),
    )


_GROWTH: Final = words(
    "ccp_alpha criterion max_depth max_features max_leaf_nodes min_impurity_decrease min_samples_leaf "
    "min_samples_split min_weight_fraction_leaf random_state"
)
_TREE: Final = _GROWTH | words("monotonic_cst splitter")
_FOREST: Final = _GROWTH | words("bootstrap max_samples monotonic_cst n_estimators n_jobs oob_score verbose warm_start")
_BOOSTED: Final = _GROWTH | words("n_estimators n_iter_no_change subsample tol validation_fraction verbose warm_start")
_HISTOGRAM: Final = words(
    "early_stopping interaction_cst l2_regularization learning_rate max_bins max_depth max_features max_iter "
    "max_leaf_nodes min_samples_leaf monotonic_cst n_iter_no_change random_state scoring tol validation_fraction "
    "verbose warm_start"
)

TREE_FEATURES: Final = (
    Supported(
        "RandomTreesEmbedding",
        random_trees_embedding,
        words(
            "max_depth max_leaf_nodes min_impurity_decrease min_samples_leaf min_samples_split "
            "min_weight_fraction_leaf n_estimators n_jobs random_state sparse_output verbose warm_start"
        ),
    ),
)
TREES: Final = (
    Supported("DecisionTreeClassifier", tree_classifier, _TREE | words("class_weight")),
    Supported("ExtraTreeClassifier", tree_classifier, _TREE | words("class_weight")),
    Supported("RandomForestClassifier", forest_classifier, _FOREST | words("class_weight")),
    Supported("ExtraTreesClassifier", forest_classifier, _FOREST | words("class_weight")),
    Supported("DecisionTreeRegressor", tree_regressor, _TREE),
    Supported("ExtraTreeRegressor", tree_regressor, _TREE),
    Supported("RandomForestRegressor", forest_regressor, _FOREST),
    Supported("ExtraTreesRegressor", forest_regressor, _FOREST),
    Supported("GradientBoostingClassifier", boosted_classifier, _BOOSTED, words("init learning_rate loss")),
    Supported(
        "GradientBoostingRegressor", boosted_regressor, _BOOSTED | words("alpha loss"), words("init learning_rate")
    ),
    Supported(
        "HistGradientBoostingClassifier",
        histogram_classifier,
        _HISTOGRAM | words("class_weight"),
        words("categorical_features"),
        {"loss": ("log_loss",)},
    ),
    Supported(
        "HistGradientBoostingRegressor",
        histogram_regressor,
        _HISTOGRAM | words("quantile"),
        words("categorical_features loss"),
    ),
)
