"""Settings from the environment."""

from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest

from walleweb.config import BASE_DIR, Config, ConfigError, declared_settings
from walleweb.mail_server import django_mail, parse_mail_server

LONG = "k" * 50


def test_no_environment_is_a_local_walle():
    config = Config.from_env({})
    assert (config.data_dir, config.debug, config.port) == (BASE_DIR / ".walle", False, 8000)
    assert config.embedded_postgres == BASE_DIR / ".walle" / "postgres"


def test_values_are_parsed():
    config = Config.from_env(
        {"WALLE_PORT": "9000", "WALLE_TRUSTED_PROXIES": "127.0.0.1, 10.1.0.0/16"}
        | {"WALLE_ALLOWED_HOSTS": "a.example, b.example,", "WALLE_DATA_DIR": "/srv/walle"}
    )
    assert (config.port, config.allowed_hosts, config.data_dir) == (
        9000,
        ("a.example", "b.example"),
        Path("/srv/walle"),
    )
    assert config.trusted_proxies == (ip_network("127.0.0.1/32"), ip_network("10.1.0.0/16"))


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
    ],
)
def test_whose_database_others_may_share_makes_no_keys_of_its_own(given, named):
    with pytest.raises(ConfigError, match=named):
        Config.from_env({"DATABASE_URL": "postgresql://u:p@db/walle", **given})


def test_a_server_of_ones_own_replaces_the_embedded_one():
    keys = {"SECRET_KEY": LONG, "WALLE_MASTER_KEY": LONG}
    config = Config.from_env({"DATABASE_URL": "postgresql://u:p@db/walle", **keys})
    assert config.embedded_postgres is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "walle.example"])
def test_error_pages_with_details_are_not_for_others(host):
    assert Config.from_env({"WALLE_HOST": host}).host == host
    with pytest.raises(ConfigError, match=f"WALLE_DEBUG.*WALLE_HOST={host}"):
        Config.from_env({"WALLE_HOST": host, "WALLE_DEBUG": "1"})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
def test_error_pages_with_details_are_for_this_machine(host):
    assert Config.from_env({"WALLE_HOST": host, "WALLE_DEBUG": "1"}).debug


@pytest.mark.parametrize("debug", ["on", "off"])
def test_hosts_are_always_named(debug):
    with pytest.raises(ConfigError, match="WALLE_ALLOWED_HOSTS"):
        Config.from_env({"WALLE_ALLOWED_HOSTS": "*", "WALLE_DEBUG": debug})


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({}, {"127.0.0.1"}),
        ({"WALLE_HOST": "0.0.0.0"}, set()),
        ({"WALLE_HOST": "fd00::7"}, {"[fd00::7]"}),
        ({"WALLE_PUBLIC_URL": "https://walle.example:8443/x"}, {"127.0.0.1", "walle.example"}),
    ],
)
def test_a_walle_may_be_asked_under_the_names_that_it_gives_itself(given, more):
    assert set(Config.from_env({"WALLE_ALLOWED_HOSTS": "a.example", **given}).own_hosts) == {"a.example"} | more


SECRETS = {item.name: item for item in declared_settings().values() if item.secret}


def test_what_is_secret_is_not_shown():
    value = "postgresql:" + "s" * 60
    config = Config.from_env(
        {**dict.fromkeys(SECRETS, value), "DATABASE_URL": f"{value[:10]}://u:{value}@h/d"}
        | dict.fromkeys(["REDIS_URL", "WALLE_FEATURES_REDIS"], f"redis://:{value}@h")
        | {"WALLE_S3_ENDPOINT": f"https://u:{value}@h"}
        | {"WALLE_MAIL_URL": f"smtp://u:{value.replace(':', '')}@h", "WALLE_MAIL_FROM": "walle@example.org"}
    )
    for shown in (repr(config), str(config), f"{config!r}", repr([config])):
        assert "ssss" not in shown
        assert "data_dir=" in shown


def test_every_setting_that_sounds_secret_is():
    words = ("SECRET", "KEY", "TOKEN", "PASSWORD", "DATABASE_URL", "REDIS_URL")
    names = {item.name for item in declared_settings().values()}
    others = {"WALLE_FEATURES_REDIS", "WALLE_MAIL_URL"}
    assert {name for name in names if any(word in name for word in words)} | others == {*SECRETS}


def test_a_mistake_in_a_secret_does_not_repeat_it():
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"DATABASE_URL": "mysql:/u:hunter2@h/d"})
    assert "hunter2" not in str(caught.value)
    assert "DATABASE_URL=[hidden]" in str(caught.value)


def test_every_field_is_declared_once_with_a_help():
    declared = declared_settings()
    assert set(declared) == {item.name for item in fields(Config)}
    names = [item.name for item in declared.values()]
    assert len(names) == len(set(names))
    assert all(item.help.endswith(".") for item in declared.values())


def test_interpreters_are_paths_by_cache_tag():
    config = Config.from_env({"WALLE_INTERPRETERS": "cpython-312=/opt/a=b/python3.12, cpython-313=/usr/bin/py"})
    assert config.interpreters == {"cpython-312": "/opt/a=b/python3.12", "cpython-313": "/usr/bin/py"}


@pytest.mark.parametrize("value", ["python3.12=/usr/bin/python3.12", "cpython-312", "cpython-312=python3.12"])
def test_other_names_and_paths_are_no_interpreters(value):
    with pytest.raises(ConfigError, match="expected cache tags with absolute paths"):
        Config.from_env({"WALLE_INTERPRETERS": value})


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("smtp://u:s3cr3t@mail.example.org", "WALLE_MAIL_FROM"),
        ("smtp://u:s3cr3t@mail.example.org/?tls=none", "in the clear"),
        ("smtp://u:s3cr3t/x@mail.example.org", "with %-encoded characters"),
        ("smtp://u:s3cr3t@mail.example.org:port", "with %-encoded characters"),
        ("smtp://u:s3cr3t@mail.example.org/?tls=some", "?tls=starttls"),
        ("smtp://s3cr3t@mail.example.org", "both a user and a password"),
        ("imap://u:s3cr3t@mail.example.org", "smtp://"),
    ],
)
def test_a_mail_server_is_named_whole_and_never_shown(given, named):
    with pytest.raises(ConfigError) as caught:
        Config.from_env({"WALLE_MAIL_URL": given})
    assert named in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


def test_a_mail_server_becomes_djangos_settings(tmp_path):
    given = {"WALLE_MAIL_URL": "smtp://u:a%2Fb@mail.example.org", "WALLE_MAIL_FROM": "Walle <walle@example.org>"}
    config = Config.from_env(given)
    assert "a/b" not in repr(config)
    found = django_mail(config.mail_server, config.mail_from, tmp_path)
    assert (found["EMAIL_HOST"], found["EMAIL_PORT"], found["EMAIL_HOST_PASSWORD"]) == ("mail.example.org", 587, "a/b")
    assert (found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (True, False)
    whole = django_mail(parse_mail_server("smtps://u:b@mail.example.org"), "", tmp_path)
    assert (whole["EMAIL_PORT"], whole["EMAIL_USE_TLS"], whole["EMAIL_USE_SSL"]) == (465, False, True)
    assert django_mail(parse_mail_server("file:"), "", tmp_path)["EMAIL_FILE_PATH"] == tmp_path / "mail"
    assert django_mail(None, "", tmp_path) == {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
