"""The trigger matcher without any cleverness: every condition, every partial match, at every event."""

from dataclasses import dataclass, replace

from walle.stream.conditions import Next, TriggerCondition, WithinEvents, WithinSeconds


@dataclass(frozen=True)
class PartialMatch:
    """The events that matched the first `steps` ids: the position and time of the first of them."""

    position: int
    at: float
    steps: int = 0


class ReferenceMatcher:
    """What TriggerTrie does, as one would read it aloud. `matches` has the partial matches of each condition."""

    def __init__(self):
        self.tasks: dict[TriggerCondition, list[str]] = {}
        self.matches: dict[TriggerCondition, list[PartialMatch]] = {}
        self.position = 0

    def add(self, condition, task):
        self.matches.setdefault(condition, [])
        tasks = self.tasks.setdefault(condition, [])
        if task not in tasks:
            tasks.append(task)

    def remove(self, condition, task):
        self.tasks[condition].remove(task)

    def forget_pending(self):
        self.matches = {condition: [] for condition in self.matches}

    def match(self, event_id, page, at):
        self.drop_conditions_without_tasks()
        self.position += 1
        ids = {event_id, page, f"{event_id}:{page}"}
        triggered = set()
        for condition, tasks in self.tasks.items():
            going_on = []
            for match in [*self.matches[condition], PartialMatch(self.position, at)]:
                if not self.in_time(match, condition, at):
                    continue
                if condition.ids[match.steps] in ids:
                    match = replace(match, steps=match.steps + 1)  # noqa: PLW2901
                    if match.steps == len(condition.ids):
                        triggered |= {*tasks}
                    else:
                        going_on.append(match)
                elif match.steps > 0 and condition.within != Next():
                    going_on.append(match)
            self.matches[condition] = going_on
        return triggered

    def in_time(self, match, condition, at):
        match condition.within:
            case Next():
                return True
            case WithinEvents(n):
                return self.position - match.position + 1 <= n
            case WithinSeconds(s):
                return at - match.at <= s

    def drop_conditions_without_tasks(self):
        for condition in [condition for condition, tasks in self.tasks.items() if not tasks]:
            del self.tasks[condition], self.matches[condition]
