"""Trained models as pipelines: estimators of scikit-learn, and the files of LightGBM and XGBoost.

What predicts something else than the library would is a fault: what cannot be imported exactly is refused, with the
operator's name, where it stands and why (`NotImportable`). None of this loads one of those libraries, nor unpickles
anything.
"""

from walle.whitebox.importing.building import Imported
from walle.whitebox.importing.estimators import import_estimator
from walle.whitebox.importing.refusal import NotImportable

__all__ = ["Imported", "NotImportable", "import_estimator"]
