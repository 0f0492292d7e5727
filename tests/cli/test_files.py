"""Tables out of files that the command line names."""

from __future__ import annotations

import json

import pytest

from walle.cli.errors import WrongUsage
from walle.cli.files import read_object


def test_files_are_toml_or_json_and_json_may_stand_on_the_line(tmp_path):
    toml, written = tmp_path / "s.toml", tmp_path / "s.json"
    toml.write_text('simulation = false\n[[stages]]\nkind = "gray"\npercent = 100\n')
    expected = {"simulation": False, "stages": [{"kind": "gray", "percent": 100}]}
    written.write_text(json.dumps(expected))
    assert read_object(str(toml)) == read_object(str(written)) == expected
    assert read_object(' {"a": 1}') == {"a": 1}


@pytest.mark.parametrize("text", [b"= 3", b"{", b"\xff\xfe", b"[[[[" * 5000])
def test_what_is_no_file_of_that_kind_is_told(tmp_path, text):
    place = tmp_path / "strategy.toml"
    place.write_bytes(text)
    with pytest.raises(WrongUsage, match="cannot read"):
        read_object(str(place))


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(WrongUsage, match="No such file"):
        read_object(str(tmp_path / "nothing.toml"))
