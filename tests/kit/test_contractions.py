"""Which migrations wait until after the restart."""

from django.db.migrations import Migration

from kit.contractions import contractions


def migration(name, *after, contracts=""):
    made = Migration(name, "app")
    made.dependencies = [("app", each) for each in after]
    if contracts:
        made.contracts = contracts
    return ("app", name), made


def test_what_contracts_waits_and_whatever_depends_on_it():
    pending = dict(
        [
            migration("2", "1"),
            migration("3", "2", contracts="nobody reads it"),
            migration("4", "3"),
            migration("5", "4"),
            migration("6", "2"),
        ]
    )
    assert contractions(pending) == {("app", "3"), ("app", "4"), ("app", "5")}


def test_nothing_waits_for_a_contraction_that_is_applied():
    assert contractions(dict([migration("4", "3"), migration("5", "4")])) == set()
