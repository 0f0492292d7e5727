"""Who hears of an event: whoever asked for its kind, where they asked for it, and may read there."""

from collections.abc import Collection


def hears(
    *,
    kind: str,
    scopes: Collection[str],
    kinds: Collection[str],
    chosen: Collection[str],
    readable: Collection[str] | None,
) -> bool:
    """Return whether an event of these scopes is for somebody who chose these kinds and scopes.

    No chosen scope stands for all. `readable` are the scopes that they may read; None stands for all, also for what
    belongs to no scope.
    """
    if kind not in kinds:
        return False
    seen = set(scopes) if readable is None else set(scopes).intersection(readable)
    if chosen:
        return not seen.isdisjoint(chosen)
    return readable is None or bool(seen)
