"""Look up what apps above know about versions: devices send only the digests of their manifests."""

from collections.abc import Collection

from kit.contributing import contributed_objects


def manifest_of(task: str, version: str) -> str | None:
    """Return the digest of the manifest of a task's version; None if no app knows it."""
    found = (lookup(task, version) for lookup in contributed_objects("manifests"))
    return next(filter(None, found), None)


def version_names(manifests: Collection[str]) -> dict[tuple[str, str], str]:
    """Return the versions that have these manifests, by their task and the manifest's short digest, as devices send
    it; unknown ones are left out.
    """
    return {each: name for find in contributed_objects("version_names") for each, name in find(manifests).items()}


def rolled_back_manifests() -> frozenset[str]:
    """Return the short digests (24 hex digits) of the manifests of all versions that were rolled back."""
    return frozenset(digest[:24] for listed in contributed_objects("rolled_back") for digest in listed())
