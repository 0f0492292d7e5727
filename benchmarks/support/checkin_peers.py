"""The peers of the gateway: the bare server, and the same work as a plain DRF + ORM view."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

WALLE = (b"walle-device", b"walle-app", b"walle-profile")


async def bare(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Read the check-in's headers and answer 204 with one header."""
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    found = {}
    for name, value in scope["headers"]:
        if name in WALLE:
            found[name] = value
    await send({"type": "http.response.start", "status": 204, "headers": [(b"walle-retry-after", b"60")]})
    await send({"type": "http.response.body", "body": b""})


def gateway() -> Any:
    """Return the gateway alone, connected to PostgreSQL, as a factory for `uvicorn --factory`."""
    import django

    django.setup()
    from devices_app.gateway import build_application
    from releases_app.services.pacing import lease
    from walleweb.tuning import tune_server_process

    application = build_application(NoVariants(), lease)
    tune_server_process()
    return application


class NoVariants:
    """A source without exclusive files."""

    async def find(self, grant: object, path: str) -> None:
        return None


def drf() -> Any:
    """Return Django under ASGI with the check-in as a plain view, which reads and writes everything in the database."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.support.drf_settings"
    from django.core.asgi import get_asgi_application

    return get_asgi_application()


def check_in_view(request: Any) -> Any:
    """Answer a check-in in the usual way of DRF and the ORM."""
    from rest_framework.response import Response

    from devices_app.models import App, Device, ServerKey
    from kit.encryption import decrypt
    from releases_app.models import Release
    from walle.protocol.headers import read_app, read_device, read_profile, short_digest
    from walle.protocol.keyed import DeviceKey, Keyring, app_key
    from walle.release.cohort import Cohort, device_point

    header, device = (
        read_app(request.headers["Walle-App"].encode()),
        read_device(request.headers["Walle-Device"].encode()),
    )
    profile = read_profile(request.headers["Walle-Profile"].encode())
    app = App.objects.get(slug=header.app)
    keys = [
        DeviceKey(key.key_id, app_key(decrypt(key.secret), app.slug))
        for key in ServerKey.objects.filter(purpose="device").exclude(state="retired")
    ]
    now = datetime.now(UTC)
    trusted = Keyring(app.slug, tuple(keys)).read_credential(device.credential, device.device, now.timestamp())
    offers = []
    releases = Release.objects.filter(app=app, state__in=["running", "complete"]).order_by("-id")
    for release in releases.select_related("version__task__scenario").prefetch_related("stages"):
        if header.app_version not in release.rule["in"]:
            continue
        share = release.stages.all()[0].share
        if profile.get(release.version.task.name) != short_digest(release.version.manifest_digest) and (
            share == 1_000_000 or Cohort(bytes(release.salt)).bucket(device_point(device.device)) < share
        ):
            offers.append(release.pk)
    claims = {"facts": dict(header.facts), "trusted": dict(trusted or {}), "last_seen": now}
    claims["profile"] = {task: digest.hex() for task, digest in profile.items()}
    Device.objects.update_or_create(
        app=app, device=device.device, defaults=claims, create_defaults={**claims, "first_seen": now}
    )
    return Response(offers or None, status=200 if offers else 204, headers={"Walle-Retry-After": "60"})
