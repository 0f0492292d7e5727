"""The benchmark `api` knows every operation of the API: what is new fails here first, before anything is started."""

from drf_spectacular.generators import SchemaGenerator

from benchmarks.support.api import writing
from benchmarks.support.api.people import names_of
from benchmarks.support.api.requests import cases


def document():
    return SchemaGenerator().get_schema(request=None, public=True)


def test_every_reading_and_each_of_its_filters_is_asked():
    asked = {case.operation for case in cases(document(), names_of("staff"))}
    assert {"list_releases", "list_devices", "get_device", "preview_targeting"} <= asked


def test_every_writing_is_asked_or_left_out_with_a_reason():
    writing.expect_all_known(document())


def test_what_is_left_out_is_not_asked_as_well():
    asked = {operation for operation, *_ in writing.steps(0, writing.EverythingMade())}
    assert not asked & writing.LEFT_OUT.keys()
    assert asked >= writing.PUBLISHING
