"""The import of programs that torch.export made, from the Python object, where torch is.

Begin with `importing`. Operators are those of core ATen, by their names; torch itself is not imported here. A file of a
program (.pt2) is not read: parts of it are pickled.
"""
