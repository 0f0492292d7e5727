"""Rules and steps: how a list of rules is applied to a draft until nothing changes, and what is written down of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from walle.whitebox.oven.draft import Draft, DraftBroken, check_draft

MOST_APPLICATIONS: Final = 10_000
"""More than any step takes: each rule makes a draft smaller, or moves a transformation in one direction."""


MOST_LINES: Final = 200
"""The most lines that are written down of what an application changed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewriting of drafts. `rewrite` returns the same draft where it has nothing to do."""

    name: str
    words: str
    rewrite: Callable[[Draft], Draft]


@dataclass(frozen=True, slots=True)
class Application:
    """One application of a rule that changed something: the lines of the draft that are gone and those that came."""

    step: str
    rule: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A list of rules, applied until none changes the draft; after each change again from the first one.

    So a rule finds a draft to which none before it has anything to add: first less is computed, then in fewer stages.
    Drafts are `checked` after each change, but for those of the step that finds out whether there is anything to check.
    """

    name: str
    rules: tuple[Rule, ...]
    checked: bool = True

    def run(self, draft: Draft) -> tuple[Draft, tuple[Application, ...]]:
        """Return the draft at the fix point, and the applications that led there."""
        trace: list[Application] = []
        while len(trace) < MOST_APPLICATIONS:
            for rule in self.rules:
                rewritten = rule.rewrite(draft)
                if rewritten != draft:
                    break
            else:
                return draft, tuple(trace)
            if self.checked:
                check_draft(rewritten)
            trace.append(self._application(rule, draft, rewritten))
            draft = rewritten
        raise DraftBroken(f"{self.name} found no fix point")

    def _application(self, rule: Rule, before: Draft, after: Draft) -> Application:
        old, new = list(_lines(before)), list(_lines(after))
        there, kept = set(old), set(new)
        gone, came = [line for line in old if line not in kept], [line for line in new if line not in there]
        return Application(self.name, rule.name, _shortened(gone), _shortened(came))


def _shortened(lines: Sequence[str]) -> tuple[str, ...]:
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    return (*lines[: MOST_LINES - 1], f"... {len(lines) - MOST_LINES + 1} more")


def _lines(draft: Draft) -> Iterator[str]:
    """Yield a draft as lines: its transformations with their types, then its stages."""
    for step in draft.graph.transformations:
        labels = " vectorizable" if step.id in draft.vectorizable else ""
        if step.id in draft.capacities:
            labels += f" room for {draft.capacities[step.id]}"
        type_ = f" -> {draft.types[step.id]}" if step.id in draft.types else ""
        yield f"{step.id} = {step.operator}({', '.join(step.inputs)}){type_}{labels}"
    for stage in draft.stages:
        yield f"stage [{', '.join(stage)}]"
