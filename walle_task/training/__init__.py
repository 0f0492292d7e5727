"""Training on the device: gradients of graphs, optimizers, losses (Walle, section 4.1: training from inference).

A graph that is lowered has atomic operators and rasters only, so that these alone need gradients, which are graphs too:
one session computes the loss and the gradients in memory that was planned once.
"""

from walle_task.training.optimizers import SGD as SGD
from walle_task.training.optimizers import Adam as Adam
from walle_task.training.optimizers import Optimizer as Optimizer
from walle_task.training.training import Training as Training
