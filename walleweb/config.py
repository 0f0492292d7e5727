"""Every setting that Walle reads from the environment, declared once.

A field of Config is a setting: its variable, its default, how it is parsed and what it means.
docs/guides/configuration.md lists the same variables; a test compares the two.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from walleweb.config_values import (
    choice,
    number,
    parse_flag,
    parse_interpreters,
    parse_list,
    parse_networks,
    parse_text,
    url,
)
from walleweb.logs import HIDDEN, redact_text
from walleweb.mail_server import MailServer, parse_mail_server, parse_sender

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound


class ConfigError(Exception):
    """The environment holds invalid values; the message names all of them."""


@dataclass(frozen=True)
class Setting:
    """The declaration of one field of Config: its variable, default, parser and help."""

    name: str
    default: str
    parse: Callable[[str], Any]
    help: str
    secret: bool = False


def parse_path(value: str) -> Path:
    """Parse a folder; a relative one is below the project's folder, whatever the working directory."""
    return (BASE_DIR / Path(value).expanduser()).resolve()


def parse_optional_path(value: str) -> Path | None:
    """Parse a folder as parse_path does; empty means that there is none."""
    return parse_path(value) if value else None


def setting(name: str, default: str, parse: Callable[[str], Any], help: str, *, secret: bool = False) -> Any:
    """Declare a field of Config that is read from the variable `name`; `default` is parsed like its values.

    A `secret` setting is never shown.
    """
    return field(metadata={"setting": Setting(name, default, parse, help, secret)})


@dataclass(frozen=True, kw_only=True, repr=False)
class Config:
    """The settings of one process. Without any environment they describe a local, self-contained Walle."""

    data_dir: Path = setting(
        "WALLE_DATA_DIR",
        ".walle",
        parse_path,
        "Folder of everything that is kept: database, artifacts, git repositories, logs.",
    )
    static_dir_named: Path | None = setting(
        "WALLE_STATIC_DIR",
        "",
        parse_optional_path,
        "Folder in which static files are collected, which nginx has to be able to read. Empty: `static` in the data "
        "folder.",
    )
    host: str = setting("WALLE_HOST", "127.0.0.1", parse_text, "Address that `make run` listens on.")
    port: int = setting("WALLE_PORT", "8000", number(1, 65535), "Port that `make run` listens on.")
    debug: bool = setting(
        "WALLE_DEBUG",
        "off",
        parse_flag,
        "Error pages with the details of a fault, for work on Walle itself. They are shown to programs on this machine "
        "only; with a WALLE_HOST that others can reach, Walle does not start.",
    )
    secret_key: str = setting(
        "SECRET_KEY",
        "",
        parse_text,
        "Signs sessions; at least 50 characters. Required with DATABASE_URL; otherwise one is made and kept in the "
        "data folder.",
        secret=True,
    )
    secret_key_fallbacks: tuple[str, ...] = setting(
        "SECRET_KEY_FALLBACKS",
        "",
        parse_list,
        "Former values of SECRET_KEY whose sessions still count, separated by commas: for the time of a rotation.",
        secret=True,
    )
    master_key: str = setting(
        "WALLE_MASTER_KEY",
        "",
        parse_text,
        "Encrypts the signing and device keys in the database; at least 32 characters. Required with DATABASE_URL; "
        "otherwise one is made and kept in the data folder. Keep it apart from database backups.",
        secret=True,
    )
    master_key_fallbacks: tuple[str, ...] = setting(
        "WALLE_MASTER_KEY_FALLBACKS",
        "",
        parse_list,
        "Other master keys that open what is in the database, separated by commas: for the time of a rotation.",
        secret=True,
    )
    public_url: str = setting(
        "WALLE_PUBLIC_URL",
        "",
        url("http", "https"),
        "Address under which devices reach this server. Empty: WALLE_HOST and WALLE_PORT.",
    )
    allowed_hosts: tuple[str, ...] = setting(
        "WALLE_ALLOWED_HOSTS",
        ",".join(LOCAL_HOSTS),
        parse_list,
        "Host names under which Walle may be asked, besides those of WALLE_PUBLIC_URL and WALLE_HOST; separated by "
        "commas. Others are refused, as anybody can make a name lead here.",
    )
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = setting(
        "WALLE_TRUSTED_PROXIES",
        "",
        parse_networks,
        "Addresses or networks of reverse proxies that say in X-Forwarded-For for whom they ask, such as 127.0.0.1; "
        "separated by commas. Nobody else is believed.",
    )
    trusted_origins: tuple[str, ...] = setting(
        "WALLE_TRUSTED_ORIGINS",
        "",
        parse_list,
        "Origins (https://walle.example.com) whose forms are accepted, separated by commas.",
    )
    https: bool = setting(
        "WALLE_HTTPS",
        "off",
        parse_flag,
        "Walle is reached through HTTPS: cookies travel only there, and plain HTTP is redirected.",
    )
    database_url: str = setting(
        "DATABASE_URL",
        "",
        url("postgresql", "postgres"),
        "PostgreSQL server (postgresql://user:password@host/database). Empty: the embedded one.",
        secret=True,
    )
    database_pool: int = setting(
        "WALLE_DATABASE_POOL",
        "0",
        number(0, 200),
        "Most connections that a web server keeps open for reuse (`make run` uses 8); "
        "0 opens one when it is needed. Leave it at 0 for workers, which fork.",
    )
    redis_url: str = setting(
        "REDIS_URL",
        "",
        url("redis", "rediss", "unix"),
        "Redis that carries jobs and live updates. Empty: PostgreSQL carries them.",
        secret=True,
    )
    max_file_mb: int = setting(
        "WALLE_MAX_FILE_MB", "100", number(1, 10_000), "Largest file of a task version or of a variant, in MiB."
    )
    max_push_mb: int = setting("WALLE_MAX_PUSH_MB", "1000", number(1, 100_000), "Largest git push, in MiB.")
    interpreters: Mapping[str, str] = setting(
        "WALLE_INTERPRETERS",
        "",
        parse_interpreters,
        "Interpreters that tasks without source are compiled by, besides the server's own and python3.N on the search "
        "path, such as cpython-312=/opt/python3.12/bin/python3.12; separated by commas.",
    )
    worker_processes: int = setting(
        "WALLE_WORKER_PROCESSES", "2", number(1, 256), "Jobs that one worker runs at the same time."
    )
    simulation_processes: int = setting(
        "WALLE_SIMULATION_PROCESSES",
        "2",
        number(1, 256),
        "Cells that one worker for simulations runs at the same time. "
        "With more than WALLE_SIMULATIONS_AT_ONCE, one scenario cannot hold them all.",
    )
    simulations_at_once: int = setting(
        "WALLE_SIMULATIONS_AT_ONCE", "1", number(1, 256), "Cells of one scenario that are simulated at the same time."
    )
    simulation_seconds_per_hour: int = setting(
        "WALLE_SIMULATION_SECONDS_PER_HOUR",
        "1800",
        number(1, 1_000_000),
        "Seconds that the cells of one scenario may take within an hour; further ones wait.",
    )
    api_reads_per_minute: int = setting(
        "WALLE_API_READS_PER_MINUTE",
        "3000",
        number(0, 1_000_000),
        "Reading API requests of one token, or of one person with a session; 0 for no limit.",
    )
    api_writes_per_minute: int = setting(
        "WALLE_API_WRITES_PER_MINUTE", "600", number(0, 1_000_000), "Likewise of writing API requests."
    )
    logins_per_minute: int = setting(
        "WALLE_LOGINS_PER_MINUTE",
        "10",
        number(0, 100_000),
        "Attempts to log in, to dashboard or admin, as one user from one address; five times as many from one address, "
        "and ten times as many as one user. A browser that logged in before has as many of its own. 0 for no limit.",
    )
    enrolments_per_hour: int = setting(
        "WALLE_ENROLMENTS_PER_HOUR",
        "3600",
        number(0, 100_000_000),
        "New devices of one app that may enrol with its app key, in each gateway process; a tenth of them at once. "
        "An app may have a number of its own. 0 for none.",
    )
    enrolments_block_percent: int = setting(
        "WALLE_ENROLMENTS_BLOCK_PERCENT",
        "10",
        number(1, 100),
        "How much of that may come from one block of addresses (IPv4 /24, IPv6 /48), in percent.",
    )
    enrolments_again_per_hour: int = setting(
        "WALLE_ENROLMENTS_AGAIN_PER_HOUR",
        "60",
        number(1, 1_000_000),
        "How often one device may enrol that shows its credential, or that its app's backend vouches for.",
    )
    live_recheck_seconds: int = setting(
        "WALLE_LIVE_RECHECK_SECONDS",
        "10",
        number(1, 3600),
        "How often is checked whether the sessions and roles behind open live sockets are still the same, in seconds. "
        "Changes of roles that are made in Walle are noticed at once.",
    )
    webhook_networks: tuple[IPv4Network | IPv6Network, ...] = setting(
        "WALLE_WEBHOOK_NETWORKS",
        "",
        parse_networks,
        "Networks that webhooks may reach besides public addresses, and there without TLS, such as 10.1.0.0/16; "
        "separated by commas.",
    )
    mail_server: MailServer | None = setting(
        "WALLE_MAIL_URL",
        "",
        parse_mail_server,
        "Server that sends e-mail: smtp://user:password@host:587 (with STARTTLS; ?tls=none for none), or "
        "smtps://user:password@host. file: writes messages into the folder `mail` of the data folder, file:/folder "
        "into another one, console: prints them. Empty: no e-mail is sent; `make run` takes file: instead.",
        secret=True,
    )
    mail_from: str = setting(
        "WALLE_MAIL_FROM",
        "",
        parse_sender,
        "Sender of e-mail, such as Walle <walle@example.com>. Required with a server in WALLE_MAIL_URL.",
    )
    keep_deliveries_days: int = setting(
        "WALLE_KEEP_DELIVERIES_DAYS",
        "30",
        number(1, 3650),
        "For how many days deliveries of webhooks are kept, and what is known of messages that were sent.",
    )
    keep_reports_days: int = setting(
        "WALLE_KEEP_REPORTS_DAYS",
        "90",
        number(0, 36_500),
        "For how many days reports are kept; 0 for ever. Verdicts do not need them, baselines those of a week.",
    )
    keep_devices_days: int = setting(
        "WALLE_KEEP_DEVICES_DAYS",
        "400",
        number(0, 36_500),
        "For how many days a device stays registered that is not seen any more, unless it is revoked; 0 for ever.",
    )
    keep_brief_devices_days: int = setting(
        "WALLE_KEEP_BRIEF_DEVICES_DAYS",
        "30",
        number(0, 36_500),
        "The same for a device that was never seen again a day after it came; 0 as for others.",
    )
    keep_exposures_days: int = setting(
        "WALLE_KEEP_EXPOSURES_DAYS",
        "400",
        number(0, 36_500),
        "For how many days it is kept which devices were selected for a release that was aborted, rolled back, "
        "superseded or rejected; 0 for ever. Its figures and its course are kept, with when the devices were deleted.",
    )
    keep_history_days: int = setting(
        "WALLE_KEEP_HISTORY_DAYS",
        "90",
        number(0, 36_500),
        "For how many days it is kept what was released to an app, and what devices said and the cloud held of their "
        "users before that changed: so far back it can be explained what a device was offered; 0 for ever.",
    )
    keep_features_days: int = setting(
        "WALLE_KEEP_FEATURES_DAYS",
        "30",
        number(0, 36_500),
        "For how many whole days features are kept that devices uploaded, whether or not consumers have read them; 0 "
        "for ever.",
    )
    features_redis: str = setting(
        "WALLE_FEATURES_REDIS",
        "",
        url("redis", "rediss", "unix"),
        "Redis whose streams take the features that devices upload, with an append-only file. Empty: PostgreSQL takes "
        "them.",
        secret=True,
    )
    features_redis_replicas: int = setting(
        "WALLE_FEATURES_REDIS_REPLICAS",
        "0",
        number(0, 10),
        "Replicas of that Redis that must have a feature too before it is acknowledged.",
    )
    s3_bucket: str = setting(
        "WALLE_S3_BUCKET",
        "",
        parse_text,
        "S3 bucket in which artifacts are kept; credentials as for AWS's own tools (AWS_ACCESS_KEY_ID and so on). "
        "Empty: they lie in the data folder.",
    )
    s3_prefix: str = setting(
        "WALLE_S3_PREFIX", "", parse_text, "What the names of objects in the bucket begin with, such as `walle/`."
    )
    s3_endpoint: str = setting(
        "WALLE_S3_ENDPOINT", "", url("http", "https"), "Address of an S3 server other than AWS's."
    )
    s3_region: str = setting("WALLE_S3_REGION", "", parse_text, "Region of the bucket. Empty: AWS_REGION.")
    cache_mb: int = setting(
        "WALLE_CACHE_MB",
        "10000",
        number(100, 10_000_000),
        "How much of what is in the bucket each machine keeps in its data folder, in MiB, for shared and for exclusive "
        "files each.",
    )
    cdn_url: str = setting(
        "WALLE_CDN_URL",
        "",
        url("http", "https"),
        "Address from which devices pull shared files: a CDN in front of WALLE_PUBLIC_URL/walle/v1 or of the bucket. "
        "An app's regions may have others. Empty: WALLE_PUBLIC_URL.",
    )
    keep_unused_days: int = setting(
        "WALLE_KEEP_UNUSED_DAYS",
        "7",
        number(1, 3650),
        "For how many days an artifact is kept that nothing refers to any more.",
    )
    serving: str = setting(
        "WALLE_SERVING",
        "",
        url("http"),
        "Address of a serving process (http://127.0.0.1:8201) to which this web server passes requests for predictions "
        "on. Empty: the one that `make run` starts. Behind nginx they do not come here.",
    )
    serving_memory_mb: int = setting(
        "WALLE_SERVING_MEMORY_MB",
        "4096",
        number(16, 10_000_000),
        "How much of the parameters of pipelines a serving process maps at once, in MiB; each is there once, whatever "
        "the number of versions that use it.",
    )
    serving_load: str = setting(
        "WALLE_SERVING_LOAD",
        "ahead",
        choice("ahead", "asked"),
        "When a serving process loads a version that it has installed: `ahead`, or `asked`, when somebody asks for it, "
        "so that several processes behind nginx, which divides requests by pipeline, need the memory of one.",
    )
    serving_max_body_mb: int = setting(
        "WALLE_SERVING_MAX_BODY_MB", "8", number(1, 1000), "Largest body of a request for predictions, in MiB."
    )
    serving_max_batch: int = setting(
        "WALLE_SERVING_MAX_BATCH", "10000", number(1, 1_000_000), "Most records of one request for predictions."
    )
    serving_records_per_second: int = setting(
        "WALLE_SERVING_RECORDS_PER_SECOND",
        "0",
        number(0, 10_000_000),
        "Records that one API token, or one device, may have answered a second by one serving process, ten times as "
        "many at once; 0 for no limit.",
    )
    emulated_devices: int = setting(
        "WALLE_EMULATED_DEVICES", "100", number(0, 100_000), "Devices that `make run` emulates; 0 for none."
    )
    metrics_token: str = setting(
        "WALLE_METRICS_TOKEN",
        "",
        parse_text,
        "Bearer token with which /metrics may be read. Empty: programs on this machine read it without one.",
        secret=True,
    )
    log_format: str = setting(
        "WALLE_LOG_FORMAT", "console", choice("console", "json"), "How log lines are written: console or json."
    )
    log_level: str = setting(
        "WALLE_LOG_LEVEL",
        "info",
        choice("debug", "info", "warning", "error"),
        "The least serious log lines that are written: debug, info, warning or error.",
    )

    @classmethod
    def from_env(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Parse the environment; raise ConfigError with every mistake at once."""
        values, mistakes = {}, []
        for name, declared in declared_settings().items():
            value = environment.get(declared.name, "").strip() or declared.default
            try:
                values[name] = declared.parse(value)
            except ValueError as error:
                shown = HIDDEN if declared.secret else redact_text(value)
                mistakes.append(f"{declared.name}={shown}: {error}")
        if not mistakes:
            config = cls(**values)
            mistakes = list(config.mistakes())
        if mistakes:
            raise ConfigError("Settings that need attention:\n" + "\n".join(f"  {line}" for line in mistakes))
        return config

    def __repr__(self) -> str:
        """Return all fields by name, with secrets redacted; tracebacks and debuggers show this."""
        return f"Config({', '.join(f'{name}={self._shown(name)}' for name in declared_settings())})"

    def _shown(self, name: str) -> str:
        value = getattr(self, name)
        return HIDDEN if declared_settings()[name].secret and value else redact_text(repr(value))

    def mistakes(self) -> tuple[str, ...]:
        """Return the faults of combinations of settings, each of which is valid by itself."""
        mistakes = []
        if self.debug and not is_loopback(self.host):
            mistakes.append(
                f"WALLE_DEBUG: others could see its error pages at WALLE_HOST={self.host}; turn it off, or listen on "
                "127.0.0.1"
            )
        if "*" in self.allowed_hosts:
            mistakes.append("WALLE_ALLOWED_HOSTS: name the hosts instead of *")
        if self.database_url:
            mistakes += self._missing_keys()
        mistakes += self._mail_mistakes()
        return tuple(mistakes)

    def _mail_mistakes(self) -> list[str]:
        server = self.mail_server
        if server is None or not server.is_smtp:
            return []
        mistakes = []
        if not self.mail_from:
            mistakes.append(
                "WALLE_MAIL_FROM: with a server in WALLE_MAIL_URL, say who sends: Walle <walle@example.com>"
            )
        if server.password and server.tls == "none" and not is_loopback(server.host):
            mistakes.append(
                "WALLE_MAIL_URL: its password would travel in the clear; leave ?tls=none out, or take smtps://"
            )
        return mistakes

    def _missing_keys(self) -> list[str]:
        """Return the faults of missing keys: several machines may share a database, so none may generate keys of its
        own.
        """
        mistakes = []
        if len(self.secret_key) < 50:
            mistakes.append(
                "SECRET_KEY: with DATABASE_URL, set it to at least 50 random characters "
                "(python -c 'import secrets; print(secrets.token_urlsafe(50))')"
            )
        if len(self.master_key) < 32:
            mistakes.append("WALLE_MASTER_KEY: with DATABASE_URL, set it to at least 32 random characters")
        return mistakes

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """Return the host names under which Walle is served."""
        public = urlsplit(self.public_url).hostname
        named = (self.host if self.host not in EVERY_ADDRESS else None, public)
        return (*self.allowed_hosts, *(f"[{host}]" if ":" in host else host for host in named if host))

    @property
    def static_dir(self) -> Path:
        """Return the folder of the static files that were collected."""
        return self.static_dir_named or self.data_dir / "static"

    @property
    def embedded_postgres(self) -> Path | None:
        """Return the folder of the embedded cluster, or None if another server is configured."""
        return None if self.database_url else self.data_dir / "postgres"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to what listens there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def declared_settings() -> dict[str, Setting]:
    """Return the declaration of each setting, by the name of its field."""
    return {item.name: item.metadata["setting"] for item in fields(Config)}
