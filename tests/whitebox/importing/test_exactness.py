"""What was imported predicts what scikit-learn predicts: the same labels, numbers within 1e-6, the same refusals."""

from __future__ import annotations

import warnings
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.whitebox.importing.models import RECORDS, ZOO
from tests.whitebox.importing.support import Pipeline
from walle.whitebox.compiling import RecordRefused
from walle.whitebox.importing import import_estimator
from walle.whitebox.importing.libraries import EstimatorLibrary, differences


@cache
def both(name: str) -> tuple[Pipeline, EstimatorLibrary]:
    model = ZOO[name].model
    imported = import_estimator(model)
    return Pipeline(imported), EstimatorLibrary(model, imported, frame=None)


@pytest.mark.parametrize("name", ZOO)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_pipeline_predicts_what_scikit_learn_predicts(name, data):
    record = data.draw(RECORDS[ZOO[name].kind])
    pipeline, library = both(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            [wanted] = library.predictions([record])
        except ValueError:
            with pytest.raises(RecordRefused):
                pipeline.predict(record)
            return
    assert differences(pipeline.predict(record), wanted, library.tolerance) == []
