"""The check whether this device can run a task: the container's check with the facts of this device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walle.container.requirements import RuntimeFacts, check_manifest_fits
from walle.device.facts import Facts
from walle.device.updates.updater import Requirements
from walle.protocol.errors import DocumentMalformed
from walle.protocol.names import InvalidNameError


def requirements_of(facts: Facts) -> Requirements:
    """Return the check for a device with these facts that runs tasks with this interpreter."""

    def unmet(manifest: Mapping[str, Any]) -> list[str]:
        try:
            own = RuntimeFacts.of_this_interpreter(
                tuple(manifest["requires"].get("modules", ())),
                app=facts.app_version,
                os=facts.os,
                os_version=facts.os_version,
            )
            return [str(reason) for reason in check_manifest_fits(manifest, own)]
        except (InvalidNameError, TypeError, AttributeError) as error:
            raise DocumentMalformed(f"manifest.requires: {error}") from error

    return unmet
