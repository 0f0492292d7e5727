"""Predict a strategy: a fleet in virtual time goes through the real plans, selections, pace, verdicts and moves.

The devices are columns of numbers (walle.forecast.fleet); when they are online is random with a seed (walle.forecast.
availability). All decisions are those of walle.release. `predict` in walle.forecast.prediction runs one release.
"""
