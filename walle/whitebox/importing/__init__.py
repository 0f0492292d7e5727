"""Trained models as pipelines: estimators of scikit-learn, and the files of LightGBM and XGBoost.

What predicts something else than the library would is a fault: what cannot be imported exactly is refused, with the
operator's name, where it stands and why (`NotImportable`). None of this loads one of those libraries, nor unpickles
anything.
"""

from walle.whitebox.importing.building import Imported
from walle.whitebox.importing.estimators import import_boosted, import_estimator
from walle.whitebox.importing.lightgbm_text import read_lightgbm
from walle.whitebox.importing.refusal import NotImportable
from walle.whitebox.importing.xgboost_files import read_xgboost

__all__ = ["Imported", "NotImportable", "import_boosted", "import_estimator", "read_lightgbm", "read_xgboost"]
