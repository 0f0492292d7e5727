"""Checks of a running server from outside: its answers to devices that the checks enrol.

Each check writes little (see `Target.wrote`): devices with ids of the server's choosing, and reports of a task that
does not exist, without offer tokens, so that they never count as evidence.
"""

from walle.conformance.server.suite import CHECKS
from walle.conformance.server.target import Options, Target

__all__ = ["CHECKS", "Options", "Target"]
