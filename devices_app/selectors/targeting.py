"""Which registered devices a rule matches: the database's answer, in the sense of walle.release.rules.

Every leaf is made true or false, never NULL, so that `not` means in SQL what it means to a gateway. All that a rule
says travels in parameters. Facts of users are those in the device's credential, unless the cloud holds others of the
same name.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    F,
    FilteredRelation,
    Func,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce, Collate

from devices_app.models import App, Device, IdList, IdListMember, UserFacts
from walle.release.rules import USER_SIDE
from walle.release.rules.predicates import value_test
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
    Scalar,
    Test,
    Versions,
    leaves,
)

Read = Callable[[QuerySet[Any, Any]], Sequence[Any]]
MOST_VERSIONS: Final = 10_000
MOST_KEYS: Final = 20
"""Values of a fact that an index is asked for one by one."""
_OPERATORS: Final = {">=": ">=", "<=": "<=", ">": ">", "<": "<", "==": "=", "!=": "<>"}
_LIKE: Final = str.maketrans({"*": "%", "?": "_", "%": r"\%", "_": r"\_", "\\": r"\\"})


def matching(app: App, rule: object) -> QuerySet[Device]:
    """The app's devices that match a rule, revoked ones left out; raises RuleMalformed."""
    tree = read_rule(rule)
    return with_held_facts(alive(app), tree, joined=True).filter(condition_of(tree, app))


def alive(app: App) -> QuerySet[Device]:
    """The app's devices that are not revoked."""
    return Device.objects.filter(app=app, revoked_at=None)


def with_held_facts(devices: QuerySet[Device], tree: Node, *, joined: bool = False) -> QuerySet[Device]:
    """Each device with what the cloud holds of its user as `held`, if the tree asks for facts of users.

    They are looked up for each device that is looked at, which is quicker where these are few; or joined, where they
    are the whole fleet.
    """
    if not any(isinstance(leaf, Leaf) and leaf.fact.startswith(USER_SIDE) for leaf in leaves(tree)):
        return devices
    if not joined:
        held = UserFacts.objects.filter(app=OuterRef("app"), device=OuterRef("device"))
        return devices.alias(held=Subquery(held.values("facts")))
    row = FilteredRelation("app__user_facts", condition=Q(app__user_facts__device=F("device")))
    return devices.alias(held_row=row, held=F("held_row__facts"))


def condition_of(node: Node, app: App | None = None) -> Q:
    """What a tree asks of devices `with_held_facts`; lists are those of the app."""
    match node:
        case All(parts):
            return Q(*(condition_of(part, app) for part in parts))
        case AnyOf(parts):
            return Q(*(condition_of(part, app) for part in parts), _connector=Q.OR)
        case Not(part):
            return ~condition_of(part, app)
        case Member(name, None):
            return Q(Exists(IdListMember.objects.filter(id_list=_named(app, name), device=OuterRef("device"))))
        case Member(_, ids):
            return Q(device__in=sorted(ids))
        case Leaf(fact, test):
            return Q(_holds(value_of(fact), test))


def indexed_of(node: Node, app: App | None = None) -> Q | None:
    """What follows from a tree and can be asked of indexes; None if there is no such thing."""
    match node:
        case All(parts):
            found = [asked for part in parts if (asked := indexed_of(part, app)) is not None]
            return Q(*found) if found else None
        case AnyOf(parts):
            found = [asked for part in parts if (asked := indexed_of(part, app)) is not None]
            return Q(*found, _connector=Q.OR) if len(found) == len(parts) else None
        case Member(name, None):
            return Q(device__in=IdListMember.objects.filter(id_list=_named(app, name)).values("device"))
        case Member(_, ids):
            return Q(device__in=sorted(ids))
        case Leaf(fact, OneOf(values)) if len(values) <= MOST_KEYS:
            return Q(*(_contains(fact, value, app) for value in values), _connector=Q.OR)
    return None


def settled(tree: Node, devices: QuerySet[Device], read: Read = list) -> Node:
    """The tree with what it asks of versions settled: the versions that these devices have and that are meant.

    Facts of so many values that this would not be quicker stay as they are. `read` fetches the rows of a query.
    """
    facts = sorted({leaf.fact for leaf in leaves(tree) if isinstance(leaf, Leaf) and isinstance(leaf.test, Versions)})
    if not facts:
        return tree
    names = {f"fact_{place}": _Text(value_of(fact)) for place, fact in enumerate(facts)}
    rows = read(devices.order_by().values(**names).annotate(count=Count("*")).values_list(*names)[: MOST_VERSIONS + 1])
    if len(rows) > MOST_VERSIONS:
        return tree
    columns = zip(*rows, strict=True) if rows else ()
    there = {
        fact: {value for value in column if isinstance(value, str)}
        for fact, column in zip(facts, columns, strict=False)
    }
    return _with_versions(tree, there)


def _with_versions(node: Node, there: Mapping[str, Collection[str | None]]) -> Node:
    match node:
        case All(parts):
            return All(tuple(_with_versions(part, there) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(_with_versions(part, there) for part in parts))
        case Not(part):
            return Not(_with_versions(part, there))
        case Leaf(fact, Versions() as test):
            holds = value_test(test)
            return replace(node, test=OneOf(tuple(version for version in there[fact] if version and holds(version))))
    return node


def _contains(fact: str, value: Scalar, app: App | None) -> Q:
    if not fact.startswith(USER_SIDE):
        return Q(facts__contains={fact: value})
    known = {fact.removeprefix(USER_SIDE): value}
    of_app = {"app": app} if app else {}
    held = UserFacts.objects.filter(facts__contains=known, **of_app)
    return Q(trusted__contains=known) | Q(device__in=held.values("device"))


def _named(app: App | None, name: str) -> Subquery:
    return Subquery(IdList.objects.filter(app=app, name=name).values("pk"))


def value_of(fact: str) -> Func:
    """A fact's JSON of devices `with_held_facts`; NULL where a device has none of that name."""
    if not fact.startswith(USER_SIDE):
        return KeyTransform(fact, "facts")
    name = fact.removeprefix(USER_SIDE)
    return Coalesce(KeyTransform(name, "held"), KeyTransform(name, "trusted"), output_field=JSONField())


class _Text(Func):
    """A JSON scalar as text; one that is no text is among versions then, where nothing equals it."""

    template = "(%(expressions)s #>> '{}')"
    output_field = TextField()


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
