"""What tasks may import: the only part of Walle that a task sees in its sandbox. It imports nothing of `walle`."""

from walle_task.operators import Events as Events
from walle_task.operators import Filter as Filter
from walle_task.operators import KeyBy as KeyBy
from walle_task.operators import Map as Map
from walle_task.operators import Operator as Operator
from walle_task.operators import TimeWindow as TimeWindow
from walle_task.workflows import cloud_half as cloud_half
from walle_task.workflows import device_half as device_half
