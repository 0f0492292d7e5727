"""What can be imported is listed: a class with each of its settings, and what is done about each.

A setting is honoured, or concerns training alone (what it led to is in the trained numbers), or may have some values
only. A setting that is none of these, as of a newer release, is refused: nothing is ignored because nobody knew it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from walle.whitebox.importing.building import ModelAnswer, Value
from walle.whitebox.importing.refusal import NotImportable

if TYPE_CHECKING:
    from walle.whitebox.importing.use import Use

Made = TypeVar("Made", Value, ModelAnswer)


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Supported(Generic[Made]):
    """A class of estimators and how one is imported.

    `honoured` settings are looked at by `build`; those of `training` change nothing once the estimator is trained, or
    nothing about predictions; those of `only` must have one of some values.
    """

    name: str
    build: Callable[[Use], Made]
    training: frozenset[str] = frozenset()
    honoured: frozenset[str] = frozenset()
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def settings(self) -> frozenset[str]:
        """All settings that somebody has looked at."""
        return self.training | self.honoured | frozenset(self.only)

    def check(self, settings: Mapping[str, Any], place: str) -> None:
        """Raise NotImportable for a setting that is unknown, or has another value than those that can be imported."""
        for name, value in settings.items():
            if name not in self.settings:
                reason = f"has the setting {name}, of which it is not known what it changes"
                raise NotImportable(self.name, place, reason)
            if name in self.only and not any(_is(value, each) for each in self.only[name]):
                allowed = " or ".join(_shown(each) for each in self.only[name])
                raise NotImportable(self.name, place, f"has {name}={_shown(value)}; only {allowed} can be imported")


def _is(value: Any, allowed: Any) -> bool:
    if value is allowed:
        return True
    same_kind = isinstance(value, type(allowed)) and isinstance(value, str | int | float | bool)
    return same_kind and isinstance(value, bool) == isinstance(allowed, bool) and bool(value == allowed)


def _shown(value: Any) -> str:
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
