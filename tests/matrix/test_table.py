"""The table of answers: what it says of an operation that is missing, and that nothing lies outside of it."""

import pytest
from django.urls import URLResolver, get_resolver

from tests.matrix.table import read

TEXT = """
# for readers
[doors] nobody owner
GET door   401   200

POST door  401   403
"""


def test_an_operation_without_answers_is_named_with_what_to_do():
    table = read(TEXT)["doors"]
    table.expect_rows_for(["GET door", "POST door"])
    with pytest.raises(AssertionError) as missing:
        table.expect_rows_for(["GET door", "POST door", "PUT door"])
    assert str(missing.value).startswith(
        "'PUT door' has no answers: add a row with one for each of nobody owner to [doors] in tests/matrix/answers.txt"
    )
    with pytest.raises(AssertionError, match=r"'POST door' is no operation of the product: remove its row"):
        table.expect_rows_for(["GET door"])


def test_an_answer_that_is_not_the_tables_is_told():
    table = read(TEXT)["doors"]
    right = {"GET door": {"nobody": "401", "owner": "200"}, "POST door": {"nobody": "401", "owner": "403"}}
    table.expect(right)
    with pytest.raises(AssertionError, match="POST door as owner: expected 403, found 200"):
        table.expect(right | {"POST door": {"nobody": "401", "owner": "200"}})
    with pytest.raises(AssertionError, match="POST door: not asked by everybody"):
        table.expect(right | {"POST door": {"nobody": "401"}})


@pytest.mark.parametrize("row", ["401 403", "POST door  401   200\nPOST door  401   403"])
def test_what_is_no_table_is_refused(row):
    with pytest.raises(ValueError, match="expected an operation without a row yet, and 2 answers"):
        read(f"[doors] nobody owner\n{row}")


def test_no_address_of_djangos_lies_outside():
    """REST and the admin pages are in the table; the rest is for everybody, or for whoever has a link."""
    addresses = get_resolver().url_patterns
    named = {address.name for address in addresses if not isinstance(address, URLResolver)}
    below = {str(address.pattern) for address in addresses if isinstance(address, URLResolver)}
    assert named == {"admin-login", "schema", "docs", "unsubscribe", "dashboard", "debug-dashboard", "unmatched"}
    assert below == {"admin/", "api/v1/"}
