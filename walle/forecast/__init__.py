"""Predict a strategy: a fleet in virtual time goes through the real plans, draws, pace, verdicts and moves.

The devices are columns of numbers (walle.forecast.fleet), their coming and going is a seeded draw (walle.forecast.
availability); nothing that decides is made for the forecast. `predict` in walle.forecast.prediction runs one release.
"""
