"""treelite as a peer of an ensemble of trees alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier


class TreelitePredictor:
    """Predicts by treelite's general interpreter (GTIL), with one thread."""

    def __init__(self, ensemble: GradientBoostingClassifier) -> None:
        import treelite

        self._model = treelite.sklearn.import_model(ensemble)

    def predict(self, row: Any) -> Any:
        """Return the probability of the second class for one row of float64."""
        from treelite import gtil

        return gtil.predict(self._model, np.asarray(row, np.float64).reshape(1, -1), nthread=1)
