"""The error of an invalid rule."""

from walle.schema import Malformed


class RuleMalformed(Malformed):
    """The rule is invalid; each problem's field says where in its JSON it is, such as rule.any[1].fact."""
