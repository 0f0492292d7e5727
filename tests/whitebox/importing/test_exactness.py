"""What was imported predicts what scikit-learn predicts: the same labels, numbers within 1e-6, the same refusals."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.whitebox.importing.models import RECORDS, ZOO
from tests.whitebox.importing.support import Pipeline
from walle.whitebox.compiling import RecordRefused
from walle.whitebox.importing import import_estimator
from walle.whitebox.importing.libraries import EstimatorLibrary, Outputs, Record, differences

pytestmark = pytest.mark.slow


@cache
def both(name: str) -> tuple[Pipeline, EstimatorLibrary]:
    model = ZOO[name].model
    imported = import_estimator(model)
    return Pipeline(imported), EstimatorLibrary(model, imported, frame=None)


@pytest.mark.parametrize("name", ZOO)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_pipeline_predicts_what_scikit_learn_predicts(name, data):
    records = data.draw(st.lists(RECORDS[ZOO[name].kind], min_size=1, max_size=8))
    pipeline, library = both(name)
    for record, wanted in zip(records, answers(library, records), strict=True):
        if wanted is None:
            with pytest.raises(RecordRefused):
                pipeline.predict(record)
        else:
            assert differences(pipeline.predict(record), wanted, library.tolerance) == []


def answers(library: EstimatorLibrary, records: list[Record]) -> list[Outputs | None]:
    """What a library answers to records: all at once, or one by one where it refuses some of them (None)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return list(library.predictions(records))
        except ValueError:
            return [None] if len(records) == 1 else [one for each in records for one in answers(library, [each])]


@pytest.mark.parametrize("name", ["missing: tree", "missing: forest", "numbers: boosted", "missing: histograms"])
def test_numbers_at_the_thresholds_go_where_scikit_learn_sends_them(name):
    """Its trees round to float32 first: all about a threshold that is rounded alike goes the same way."""
    pipeline, library = both(name)
    nodes = next(array for array in pipeline.arrays.values() if array.ndim == 2 and array.shape[1] == 4)
    thresholds = nodes.view("<f8").reshape(-1, 2)[:, 0]
    around = np.unique(thresholds[np.isfinite(thresholds)])
    singles = around.astype(np.float32)
    values = [around, np.nextafter(around, np.inf), np.nextafter(around, -np.inf)]
    values += [np.nextafter(singles, np.float32(end)).astype(np.float64) for end in (np.inf, -np.inf)]
    records = [dict.fromkeys(("x0", "x1", "x2", "x3"), float(value)) for value in np.concatenate(values)]
    for record, wanted in zip(records, library.predictions(records), strict=True):
        assert differences(pipeline.predict(record), wanted, library.tolerance) == []
