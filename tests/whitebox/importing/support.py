"""An imported model that predicts, by its compiled plan."""

from __future__ import annotations

from typing import Any

from walle.cli.pipeline_archives import outputs_of
from walle.whitebox.archive import Statistics
from walle.whitebox.compiling import compile_plan
from walle.whitebox.graph import Parameter
from walle.whitebox.importing import Imported
from walle.whitebox.importing.libraries import Outputs, Record
from walle.whitebox.oven import optimise


class Pipeline:
    """Predicts in this process."""

    def __init__(self, imported: Imported) -> None:
        self.arrays = imported.arrays
        self._plan = compile_plan(optimise(imported.graph, Statistics())).bind(self._part)
        self._vectors = self._plan.vectors()

    def _part(self, parameter: Parameter) -> Any:
        return self.arrays[parameter.digest].reshape(parameter.shape)[..., parameter.start : parameter.stop]

    def predict(self, record: Record) -> Outputs:
        return outputs_of(self._plan.predict(record, self._vectors))
