"""Which registered devices a rule matches: the database's answer, in the sense of walle.release.rules.

Every leaf is made true or false, never NULL, so that `not` means in SQL what it means to a gateway. All that a rule
says travels in parameters. Facts of users are those in the device's credential, unless the cloud holds others of the
same name.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import OperationalError, connection, transaction
from django.db.models import (
    BooleanField,
    Exists,
    F,
    FilteredRelation,
    Func,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce, Collate
from psycopg.errors import QueryCanceled

from devices_app.models import App, Device, IdList, IdListMember
from devices_app.selectors.facts import check_rule_of
from walle.release.rules import USER_SIDE
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import (
    All,
    AnyOf,
    Glob,
    Leaf,
    Member,
    Node,
    Not,
    Numbers,
    OneOf,
    Prefix,
    Test,
    Versions,
    leaves,
)

SAMPLE: Final = 20
PATIENCE_S: Final = 30.0
_OPERATORS: Final = {">=": ">=", "<=": "<=", ">": ">", "<": "<", "==": "=", "!=": "<>"}
_LIKE: Final = str.maketrans({"*": "%", "?": "_", "%": r"\%", "_": r"\_", "\\": r"\\"})


@dataclass(frozen=True)
class Preview:
    """How many of an app's devices a rule matches, and the ids of the last registered among them."""

    count: int
    total: int
    sample: list[str]


def preview(app: App, rule: object, *, patience_s: float = PATIENCE_S) -> Preview:
    """What a rule would reach now.

    Raises ValidationError where a release by it would be refused, and where a query takes longer than the patience.
    """
    check_rule_of(app, rule)
    matched = matching(app, rule)
    sample = matched.order_by("-id").values_list("device", flat=True)[:SAMPLE]
    try:
        with _patience(patience_s):
            return Preview(matched.count(), _alive(app).count(), list(sample))
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise ValidationError({"rule": f"expected one that is counted in {patience_s} seconds"}) from error
        raise


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """A transaction in which no query goes on for longer."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(int(seconds * 1000))])
        yield


def matching(app: App, rule: object) -> QuerySet[Device]:
    """The app's devices that match a rule, revoked ones left out; raises RuleMalformed."""
    tree = read_rule(rule)
    devices = _alive(app)
    if any(isinstance(leaf, Leaf) and leaf.fact.startswith(USER_SIDE) for leaf in leaves(tree)):
        devices = _with_held_facts(devices)
    return devices.filter(_condition(tree, app))


def _alive(app: App) -> QuerySet[Device]:
    return Device.objects.filter(app=app, revoked_at=None)


def _with_held_facts(devices: QuerySet[Device]) -> QuerySet[Device]:
    """Each device with its row of UserFacts, if any, as `held`: a join, as a subquery would run once per device."""
    return devices.alias(held=FilteredRelation("app__user_facts", condition=Q(app__user_facts__device=F("device"))))


def _condition(node: Node, app: App) -> Q:
    match node:
        case All(parts):
            return Q(*(_condition(part, app) for part in parts))
        case AnyOf(parts):
            return Q(*(_condition(part, app) for part in parts), _connector=Q.OR)
        case Not(part):
            return ~_condition(part, app)
        case Member(name, None):
            named = Subquery(IdList.objects.filter(app=app, name=name).values("pk"))
            return Q(Exists(IdListMember.objects.filter(id_list=named, device=OuterRef("device"))))
        case Member(_, ids):
            return Q(device__in=sorted(ids))
        case Leaf(fact, test):
            return Q(_holds(_value(fact), test))


def _value(fact: str) -> Func:
    """A fact's JSON; NULL where a device has none of that name."""
    if not fact.startswith(USER_SIDE):
        return KeyTransform(fact, "facts")
    name = fact.removeprefix(USER_SIDE)
    return Coalesce(KeyTransform(name, "held__facts"), KeyTransform(name, "trusted"), output_field=JSONField())


class _IsTrue(Func):
    """Whether an expression is true, which it is not where it is NULL."""

    template = "((%(expressions)s) IS TRUE)"
    output_field = BooleanField()


def _holds(value: Func, test: Test) -> Func:
    match test:
        case OneOf(values):
            members = Func(Value([json.dumps(member) for member in values]), template="ANY(%(expressions)s::jsonb[])")
            return _IsTrue(value, members, arg_joiner=" = ")
        case Versions(bounds):
            return _within(Collate(Func(value, function="walle_version_key"), "C"), bounds)
        case Numbers(bounds):
            exact = [(sign, Decimal(repr(end))) for sign, end in bounds]
            return _within(Func(value, function="walle_fact_number"), exact)
        case Prefix(text):
            return _IsTrue(Func(_text(value), Value(text), function="starts_with"))
        case Glob(pattern):
            return _IsTrue(_text(value), Value(pattern.translate(_LIKE)), arg_joiner=" LIKE ")


def _text(value: Func) -> Func:
    return Func(value, function="walle_fact_text")


def _within(key: Func, bounds: Any) -> Func:
    """Whether there is a key and it is within the bounds."""
    there = Func(key, template="%(expressions)s IS NOT NULL")
    comparisons = [
        Func(key, Value(end), arg_joiner=f" {_OPERATORS[sign]} ", template="%(expressions)s") for sign, end in bounds
    ]
    return _IsTrue(*(comparisons or [there]), arg_joiner=" AND ")
