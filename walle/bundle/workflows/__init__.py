"""Tasks of the kind `workflow`: sources of operators, and the two halves that a placement plan makes of them.

The tree of such a task has `problem.json`, `code.json` and the operators' files; a version that was made by applying a
plan has `placement.json` beside them, and a copy of what each half needs below `device/` and `cloud/`.
"""
