"""What is known of versions above this app: devices tell only the digests of their manifests."""

from kit.contributing import contributed_objects


def manifest_of(task: str, version: str) -> str | None:
    """The digest of the manifest of a task's version; None where nobody knows of one."""
    found = (lookup(task, version) for lookup in contributed_objects("manifests"))
    return next(filter(None, found), None)
