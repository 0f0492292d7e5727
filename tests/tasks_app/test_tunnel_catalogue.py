"""Gateways find the names of versions by the short digests that devices say."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from devices_app import gateway
from tasks_app.tunnel_catalogue import PostgresTunnelCatalogue
from tests.support.releases import make_version
from walle.gateway.application import GatewayApplication
from walle.protocol.headers import short_digest
from walleweb import asgi

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_version_has_its_name_whether_or_not_it_is_released() -> None:
    digests = [
        short_digest(make_version("camera", "look", version).manifest_digest) for version in ("1.0.0", "1.1.0-rc.1")
    ]
    other = short_digest(make_version("camera", "other", "3.0.0").manifest_digest)

    async def asked() -> list[str]:
        catalogue = PostgresTunnelCatalogue()
        return [await catalogue.name_of("shop", "camera/look", digest) for digest in (*digests, other, bytes(12))]

    assert async_to_sync(asked)() == ["1.0.0", "1.1.0-rc.1", "", ""]


def test_the_tunnels_of_a_server_ask_it(monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version("camera", "look", "1.2.0")
    made: list[GatewayApplication] = []
    build = gateway.build_application

    def keep(*ports: Any) -> GatewayApplication:
        made.append(build(*ports))
        return made[-1]

    monkeypatch.setattr(gateway, "build_application", keep)
    asgi.build_application()
    tunnel = made[0].tunnel
    assert tunnel is not None
    found = async_to_sync(tunnel.versions.find)("shop", "camera/look", short_digest(version.manifest_digest))
    assert found == "1.2.0"
