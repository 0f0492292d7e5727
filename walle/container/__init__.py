"""The compute container: what runs a task on a device or in a simulator.

`Context` is named here for the annotations of tasks; at run time a task does not need walle.
"""

from walle.container.worker.task import Context as Context
