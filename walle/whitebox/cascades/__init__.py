"""Learning cascades: a cheap prefix for a trained pipeline, and the threshold from which on it answers alone (Willump).

This happens where a model is exported, beside scikit-learn; servers read what was learned from an archive
(`walle.whitebox.archive.cascade`) and import none of it.
"""

from walle.whitebox.cascades.joining import join_prefix
from walle.whitebox.cascades.learning import LearnedCascade, Prefix, TrainingRecords, learn_cascade
from walle.whitebox.cascades.thresholds import ChosenThreshold, HeldOut, choose_threshold

__all__ = [
    "ChosenThreshold",
    "HeldOut",
    "LearnedCascade",
    "Prefix",
    "TrainingRecords",
    "choose_threshold",
    "join_prefix",
    "learn_cascade",
]
