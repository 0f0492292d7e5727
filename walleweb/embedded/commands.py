"""The programs that Walle consists of, as arguments of Python, with the settings that they need on one machine."""

from typing import Final

from jobs_app.registry import JobQueue
from walle.gateway.allowances import BURST_S, HOUR_S
from walleweb.config import Config
from walleweb.embedded.places import serving_socket

WEB_DATABASE_POOL: Final = "8"
"""The number of the web server's connections to PostgreSQL."""
_WORKER: Final = (
    *("-m", "celery", "--quiet", "-A", "walleweb", "worker"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
)


def web_command(config: Config) -> tuple[str, ...]:
    """Return the arguments of Python that start the web server."""
    server = ("-m", "uvicorn", "walleweb.asgi:application", "--host", config.host, "--port", str(config.port))
    protocols = ("--loop", "uvloop", "--http", "walle.gateway.uvicorn_protocol:CheckInProtocol", "--lifespan", "on")
    # A frame is the same for hundreds of sockets, which would compress it separately (docs/adr/0013).
    sockets = (
        *("--ws", "walle.gateway.uvicorn_tunnels:TunnelProtocol"),
        *("--ws-per-message-deflate", "false", "--ws-max-size", "65536"),
    )
    # Walle has its own setting for trusted proxies (WALLE_TRUSTED_PROXIES).
    return (*server, *protocols, *sockets, "--no-proxy-headers", "--no-access-log", "--timeout-graceful-shutdown", "8")


def serving_command(config: Config) -> tuple[str, ...]:
    """Return the arguments of Python that start the serving process, which loads nothing before it is asked."""
    program = ("-m", "walle.whitebox.serving", "walleweb.serving:load")
    places = ("--listen", str(serving_socket(config.data_dir)), "--folder", str(config.data_dir / "serving"))
    return (*program, *places, "--lazy")


def enrolments_of_the_fleet(config: Config) -> dict[str, str]:
    """Return settings that let all emulated devices, which share one address, enrol at once, and as many others."""
    if not config.emulated_devices:
        return {}
    at_once = 2 * config.emulated_devices
    per_hour = max(config.enrolments_per_hour, int(at_once * HOUR_S / BURST_S))
    return {"WALLE_ENROLMENTS_PER_HOUR": str(per_hour), "WALLE_ENROLMENTS_BLOCK_PERCENT": "100"}


def mail_into_files(config: Config) -> dict[str, str]:
    """Return the setting that has messages written into files, unless it was said where they go."""
    return {} if config.mail_server else {"WALLE_MAIL_URL": "file:"}


def worker_commands(config: Config) -> dict[str, tuple[str, ...]]:
    """Return the arguments of Python that start each of the workers, by name."""
    return {
        "worker": worker_command(),
        "urgent-worker": urgent_worker_command(),
        "simulation-worker": simulation_worker_command(config.simulation_processes),
    }


def worker_command() -> tuple[str, ...]:
    """Return the arguments of Python that start a worker with its beat."""
    return (*_WORKER, "--beat")


def urgent_worker_command() -> tuple[str, ...]:
    """Return the arguments of Python that start the worker reserved for urgent jobs, such as a rollback."""
    return (*_WORKER, "--queues", JobQueue.URGENT.value, "--pool", "solo")


def simulation_worker_command(processes: int) -> tuple[str, ...]:
    """Return the arguments of Python that start the worker for simulations: they may take minutes, and no other runs
    them.
    """
    return (*_WORKER, "--queues", JobQueue.SIMULATIONS.value, "--concurrency", str(processes))
