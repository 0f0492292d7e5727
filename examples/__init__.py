"""Three real tasks to release: image, text, recommendation."""

import sys

# The task/ folders are pushed as they stand, so importing a main.py must not leave a __pycache__ in them.
sys.dont_write_bytecode = True
