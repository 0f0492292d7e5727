"""Whether the settings are those of a production. With others no process starts at all: see walleweb.config."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from walleweb.config import LOCAL_HOSTS, Config
from walleweb.doctor.findings import Finding, Health, missing, ok

PLACEHOLDER: Final = "CHANGE-ME"
EXAMPLE: Final = "example.com"


def check_settings(config: Config) -> Iterator[Finding]:
    """Find what would harm users of a server that others reach.

    With the embedded PostgreSQL, Walle is tried on one machine: then nothing of it is more than a warning.
    """
    for finding in _found(config):
        lenient = config.embedded_postgres is not None and finding.health is Health.MISSING
        yield replace(finding, health=Health.WARNING) if lenient else finding


def _found(config: Config) -> Iterator[Finding]:
    yield _https(config)
    yield _hosts(config)
    yield _proxies(config)
    yield _secrets(config)
    if config.debug:
        yield missing("debug", "error pages show details of faults", "remove WALLE_DEBUG")


def _https(config: Config) -> Finding:
    if not config.https:
        return missing("https", "cookies and tokens travel in the clear", "set WALLE_HTTPS=on behind a proxy with TLS")
    if urlsplit(config.public_url).scheme != "https":
        return missing("https", "devices are sent to an address without TLS", "set WALLE_PUBLIC_URL=https://...")
    return ok("https", "on")


def _hosts(config: Config) -> Finding:
    host = urlsplit(config.public_url).hostname or ""
    named = [*config.allowed_hosts, host, *config.trusted_origins]
    if any(name.endswith(EXAMPLE) for name in named):
        return missing(
            "hosts",
            f"{EXAMPLE} stands for a name of yours",
            "put it into WALLE_PUBLIC_URL, WALLE_ALLOWED_HOSTS and WALLE_TRUSTED_ORIGINS",
        )
    if not host or host in LOCAL_HOSTS:
        return missing("hosts", "devices have no address that leads here", "set WALLE_PUBLIC_URL")
    return ok("hosts", ", ".join(sorted(set(config.own_hosts))))


def _proxies(config: Config) -> Finding:
    if not config.trusted_proxies:
        return missing(
            "proxies",
            "everybody seems to come from the proxy, and shares its limits",
            "set WALLE_TRUSTED_PROXIES to the addresses of the proxy",
        )
    return ok("proxies", ", ".join(map(str, config.trusted_proxies)))


def _secrets(config: Config) -> Finding:
    secrets = {
        "SECRET_KEY": config.secret_key,
        "WALLE_MASTER_KEY": config.master_key,
        "DATABASE_URL": config.database_url,
    }
    known = [name for name, value in secrets.items() if PLACEHOLDER in value]
    if known:
        return missing(
            "secrets", f"everybody knows {' and '.join(known)}", "make random ones (deploy/systemd/walle.env)"
        )
    if config.secret_key and config.secret_key == config.master_key:
        return missing(
            "secrets", "SECRET_KEY is the master key", "make two: one is changed more often, and less secret"
        )
    return ok("secrets", "set")
