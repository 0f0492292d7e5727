"""Where the serving process of one machine listens: where only its own account can."""

import os
import tempfile
from pathlib import Path

import pytest

from walleweb.embedded.places import LONGEST_SOCKET_PATH, PostgresError, serving_socket


def test_the_socket_is_in_the_data_folder_where_its_path_is_short_enough(tmp_path):
    assert serving_socket(tmp_path) == tmp_path / "run" / "serving.sock"


def test_a_long_path_is_replaced_by_a_private_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    long = Path("/", "x" * LONGEST_SOCKET_PATH)
    found = serving_socket(long)
    assert found == serving_socket(long)
    assert found != serving_socket(long / "other")
    assert found.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another account")
def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    long = Path("/", "x" * LONGEST_SOCKET_PATH)
    os.chown(serving_socket(long).parent, 12345, 12345)
    with pytest.raises(PostgresError, match="belongs to somebody else"):
        serving_socket(long)
