"""Look up what apps above know about versions: devices send only the digests of their manifests."""

from kit.contributing import contributed_objects


def manifest_of(task: str, version: str) -> str | None:
    """Return the digest of the manifest of a task's version; None if no app knows it."""
    found = (lookup(task, version) for lookup in contributed_objects("manifests"))
    return next(filter(None, found), None)
