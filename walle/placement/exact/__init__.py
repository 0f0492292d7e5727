"""Placement as a mixed-integer linear program: the plan that no other beats, or how far from it the best one may be."""
