"""Kernels of atomic operators. `arrays` has them all in NumPy, which is the backend that is always there."""
