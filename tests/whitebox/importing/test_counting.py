"""How full sparse vectors are is counted by a pipeline, as exactly as in scikit-learn's own matrices."""

from __future__ import annotations

import numpy as np

from tests.whitebox.importing.models import WORDS, ZOO
from tests.whitebox.importing.support import Pipeline
from walle.whitebox.importing import import_estimator
from walle.whitebox.importing.building import Imported
from walle.whitebox.importing.counting import counting_of

TEXTS = [" ".join(WORDS), "good", "", "film " * 50]


def test_numbers_other_than_zero_are_counted_whatever_their_sign():
    model = ZOO["texts: hashed characters"].model
    imported = import_estimator(model)
    counting = counting_of(imported.graph, imported.arrays)
    pipeline = Pipeline(Imported(counting.graph, counting.arrays, {}, {}, single=False))
    found = [pipeline.predict({"text": text})["value"] for text in TEXTS]
    matrix = model[0].transform(TEXTS).toarray()
    assert (matrix < 0).any()
    assert counting.ids == ("hash_char_ngrams-1",)
    assert found == [(np.count_nonzero(row),) for row in matrix]


def test_short_and_dense_vectors_are_not_counted():
    imported = import_estimator(ZOO["texts: hashed presence"].model)
    assert counting_of(imported.graph, imported.arrays) is None
    imported = import_estimator(ZOO["numbers: distances"].model)
    assert counting_of(imported.graph, imported.arrays) is None
