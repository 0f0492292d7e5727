"""Settings from the environment."""

from dataclasses import fields
from pathlib import Path

import pytest

from walleweb.config import BASE_DIR, Config, ConfigError, declared_settings

LONG = "k" * 50


def test_no_environment_is_a_local_walle():
    config = Config.from_env({})
    assert (config.data_dir, config.debug, config.port) == (BASE_DIR / ".walle", True, 8000)
    assert config.embedded_postgres == BASE_DIR / ".walle" / "postgres"


def test_values_are_parsed():
    config = Config.from_env(
        {"WALLE_PORT": "9000", "WALLE_DEBUG": "off", "SECRET_KEY": LONG, "WALLE_MASTER_KEY": LONG}
        | {"WALLE_ALLOWED_HOSTS": "a.example, b.example,", "WALLE_DATA_DIR": "/srv/walle"}
    )
    assert (config.port, config.allowed_hosts, config.data_dir) == (
        9000,
        ("a.example", "b.example"),
        Path("/srv/walle"),
    )


def test_a_blank_value_is_no_value():
    assert Config.from_env({"WALLE_PORT": " "}).port == 8000


def test_all_mistakes_are_told_at_once():
    wrong = {
        "WALLE_PORT": "99999",
        "WALLE_DEBUG": "maybe",
        "WALLE_LOG_FORMAT": "xml",
        "DATABASE_URL": "mysql://u:pw@h/d",
    }
    with pytest.raises(ConfigError) as caught:
        Config.from_env(wrong)
    text = str(caught.value)
    assert all(name in text for name in wrong)
    assert "whole number from 1 to 65535" in text
    assert "pw" not in text


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "SECRET_KEY"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY"),
        ({"SECRET_KEY": LONG}, "WALLE_MASTER_KEY"),
        ({"SECRET_KEY": LONG, "WALLE_MASTER_KEY": LONG, "WALLE_ALLOWED_HOSTS": "*"}, "WALLE_ALLOWED_HOSTS"),
    ],
)
def test_production_demands_what_must_not_be_left_to_chance(given, named):
    with pytest.raises(ConfigError, match=named):
        Config.from_env({"WALLE_DEBUG": "off", **given})


def test_a_server_of_ones_own_replaces_the_embedded_one():
    config = Config.from_env({"DATABASE_URL": "postgresql://u:p@db/walle"})
    assert config.embedded_postgres is None


def test_every_field_is_declared_once_with_a_help():
    declared = declared_settings()
    assert set(declared) == {item.name for item in fields(Config)}
    names = [item.name for item in declared.values()]
    assert len(names) == len(set(names))
    assert all(item.help.endswith(".") for item in declared.values())
