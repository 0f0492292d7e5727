"""The commands: one module per noun, with its commands as `app` (walle.cli.app lists them).

They do not import each other; what they share lies beside this package.
"""
