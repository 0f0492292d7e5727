"""What is wrong with a rule."""

from walle.schema import Malformed


class RuleMalformed(Malformed):
    """A rule that means nothing; each problem's field says where in its JSON it is, such as rule.any[1].fact."""
