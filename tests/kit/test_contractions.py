"""Which migrations wait until after the restart, and which cannot be applied before it."""

from django.db.migrations import Migration

from kit.contractions import behind_contractions, contractions


def migration(name, *after, contracts=""):
    made = Migration(name, "app")
    made.dependencies = [("app", each) for each in after]
    if contracts:
        made.contracts = contracts
    return ("app", name), made


PENDING = dict(
    [
        migration("2", "1"),
        migration("3", "2", contracts="nobody reads it"),
        migration("4", "3", contracts="nobody writes it"),
        migration("5", "4"),
        migration("6", "2", "5"),
        migration("7", "2"),
    ]
)


def test_what_contracts_waits():
    assert contractions(PENDING) == {("app", "3"), ("app", "4")}


def test_what_needs_a_contraction_is_told_with_it():
    assert behind_contractions(PENDING) == {("app", "5"): ("app", "4"), ("app", "6"): ("app", "4")}


def test_nothing_is_behind_a_contraction_that_is_applied():
    rest = {key: PENDING[key] for key in (("app", "5"), ("app", "6"))}
    assert contractions(rest) == set()
    assert behind_contractions(rest) == {}
