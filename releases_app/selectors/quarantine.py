"""Which versions are in quarantine."""

from collections.abc import Iterable

from releases_app.models import Quarantine


def quarantined_manifests() -> Iterable[str]:
    """Return the digests of the manifests of versions that were rolled back, and of which nobody lifted that."""
    return Quarantine.objects.values_list("version__manifest_digest", flat=True)
