"""Placement of machine learning workflows on tiers of workers (JellyBean: Wu et al., PVLDB 16(3), 2022, section 4).

`walle.placement.problem` is a problem as data and its document; `walle.placement.evaluation` says what a plan costs and
whether it is feasible. Everything here is pure, and nothing of it needs more than the standard library.
"""
