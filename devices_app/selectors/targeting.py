"""Find the registered devices that a rule matches in the database, with the semantics of walle.release.rules.

Every leaf is made true or false, never NULL, so that `not` means in SQL what it means to a gateway. All values of a
rule are passed as parameters. Facts about users are those in the device's credential, unless the cloud holds others of
the same name.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeGuard

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BooleanField,
    Count,
    Exists,
    Expression,
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
from django.db.models.functions import Coalesce
from django.db.models.sql.compiler import SQLCompiler

from devices_app.models import App, Device, IdList, IdListMember, UserFacts
from walle.release.rules import USER_SIDE
from walle.release.rules.conditions import Condition
from walle.release.rules.predicates import value_test
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import All, AnyOf, Leaf, ListMember, Node, Not, leaves, one_of
from walle.release.rules.value_sets import OneOf, Scalar, Within

Read = Callable[[QuerySet[Any, Any]], Sequence[Any]]
MOST_VERSIONS: Final = 10_000
MOST_KEYS: Final = 20
"""The maximum number of values of a fact that are looked up in an index separately."""


def matching(app: App, rule: object) -> QuerySet[Device]:
    """Return the app's devices that match a rule, without revoked ones; raises RuleMalformed."""
    tree = read_rule(rule)
    return with_held_facts(alive(app), tree, joined=True).filter(condition_of(tree, app))


def alive(app: App) -> QuerySet[Device]:
    """Return the app's devices that are not revoked."""
    return Device.objects.filter(app=app, revoked_at=None)


def with_held_facts(devices: QuerySet[Device], tree: Node, *, joined: bool = False) -> QuerySet[Device]:
    """Annotate devices with the facts the cloud holds about their users as `held`, if the tree uses such facts.

    They are looked up for each device, which is faster for few devices, or joined, which is faster for the complete
    fleet.
    """
    if not any(isinstance(leaf, Leaf) and leaf.fact.startswith(USER_SIDE) for leaf in leaves(tree)):
        return devices
    if not joined:
        held = UserFacts.objects.filter(app=OuterRef("app"), device=OuterRef("device"))
        return devices.alias(held=Subquery(held.values("facts")))
    row = FilteredRelation("app__user_facts", condition=Q(app__user_facts__device=F("device")))
    return devices.alias(held_row=row, held=F("held_row__facts"))


def condition_of(node: Node, app: App | None = None) -> Q:
    """Return the condition of a tree on devices `with_held_facts`; lists are those of the app."""
    match node:
        case All(parts):
            return Q(*(condition_of(part, app) for part in parts))
        case AnyOf(parts):
            return Q(*(condition_of(part, app) for part in parts), _connector=Q.OR)
        case Not(part):
            return ~condition_of(part, app)
        case ListMember(name, ids):
            if ids is None:
                return Q(Exists(IdListMember.objects.filter(id_list=_named(app, name), device=OuterRef("device"))))
            return Q(device__in=sorted(ids))
        case Leaf(fact, test):
            return Q(_Holds(value_of(fact), test.operator.condition(test.operand)))


def indexed_of(node: Node, app: App | None = None) -> Q | None:
    """Return a condition that follows from a tree and that indexes answer; None if there is none."""
    match node:
        case All(parts):
            found = [indexed for part in parts if (indexed := indexed_of(part, app)) is not None]
            return Q(*found) if found else None
        case AnyOf(parts):
            found = [indexed for part in parts if (indexed := indexed_of(part, app)) is not None]
            return Q(*found, _connector=Q.OR) if len(found) == len(parts) else None
        case ListMember(name, ids):
            if ids is None:
                return Q(device__in=IdListMember.objects.filter(id_list=_named(app, name)).values("device"))
            return Q(device__in=sorted(ids))
        case Leaf(fact, test):
            match test.admits:
                case OneOf(values) if len(values) <= MOST_KEYS:
                    return Q(*(_contains(fact, value, app) for value in values), _connector=Q.OR)
    return None


def settled(tree: Node, devices: QuerySet[Device], read: Read = list) -> Node:
    """Return the tree with comparisons of versions replaced by the list of existing versions that match.

    Facts with so many values that this would not be faster stay as they are. `read` fetches the rows of a query.
    """
    facts = sorted({leaf.fact for leaf in leaves(tree) if _orders_texts(leaf)})
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


def _with_versions(node: Node, there: Mapping[str, Collection[str]]) -> Node:
    match node:
        case All(parts):
            return All(tuple(_with_versions(part, there) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(_with_versions(part, there) for part in parts))
        case Not(part):
            return Not(_with_versions(part, there))
        case Leaf(fact, test) if _orders_texts(node):
            return replace(node, test=one_of(filter(value_test(test), there[fact])))
    return node


def _orders_texts(leaf: Node) -> TypeGuard[Leaf]:
    """Return whether a leaf compares texts in an order, such as versions, which is costly for the database."""
    if not isinstance(leaf, Leaf):
        return False
    admitted = leaf.test.admits
    return isinstance(admitted, Within) and admitted.order.json == "text"


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
    """Return a fact's JSON of devices `with_held_facts`; NULL for a device without it."""
    if not fact.startswith(USER_SIDE):
        return KeyTransform(fact, "facts")
    name = fact.removeprefix(USER_SIDE)
    return Coalesce(KeyTransform(name, "held"), KeyTransform(name, "trusted"), output_field=JSONField())


class _Text(Func):
    """A JSON scalar as text; a value of another type becomes a text that equals no version."""

    template = "(%(expressions)s #>> '{}')"
    output_field = TextField()


class _Holds(Func):
    """A condition of the rules' vocabulary on a fact; it is false where the condition is NULL."""

    output_field = BooleanField()

    def __init__(self, fact: Expression, condition: Condition) -> None:
        parameters = [list(each) if isinstance(each, tuple) else each for each in condition.parameters]
        super().__init__(fact, *map(Value, parameters))
        self.text = condition.text

    # The stubs are those of Django 6, where parameters come as a tuple; of 5.2 they come as a list.
    def as_sql(  # type: ignore[override]
        self,
        compiler: SQLCompiler,
        connection: BaseDatabaseWrapper,
        function: str | None = None,
        template: str | None = None,
        arg_joiner: str | None = None,
        **extra_context: Any,
    ) -> tuple[str, list[Any]]:
        (fact, of_fact), *compiled = map(compiler.compile, self.source_expressions)
        rest, parts = iter(compiled), list[str]()
        parameters: list[Any] = []
        for part in re.split(r"({fact}|%s)", self.text):
            sql, used = (fact, of_fact) if part == "{fact}" else next(rest) if part == "%s" else (part, ())
            parts.append(sql)
            parameters.extend(used)
        return f"(({''.join(parts)}) IS TRUE)", parameters
