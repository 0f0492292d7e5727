"""Which tasks an event triggers: the conditions of all tasks in one trie (Walle, section 5.1, Trigger Management).

**The trie.** The root is the start node, each trigger id a middle node; conditions with a common prefix share its
nodes. End nodes are the leaves: one for each condition, with the tasks that have it. `within` belongs to the end node,
so conditions that differ in nothing else share all their middle nodes.

**One rule for all conditions.** k ids that match within k events match consecutive ones, so `next` is within k events.
With r ids still missing, a match can end within n events only if this event is among its first n - r. So a partial
match of `next` waits for one event, which is the paper's dynamic pending list that is replaced at each event.

**One start for each node.** All matches that have reached a node wait for the same ids: an event that takes one of them
further takes all of them. They differ in their first event, and whatever limit one keeps, one that began later keeps
too. So the latest start alone decides whether a task fires. Starts also stay in order along a path, as none overtakes
another: those that reach a node only grow. Hence one start for each node is all that is known of matches, and a node is
waited for exactly if a later start has reached its parent than has reached itself.

**Finding by id.** An event has three ids, and is compared with nodes of these ids only:

- the static pending list has the children of the root and of wide nodes, by id;
- the dynamic pending list has the other nodes that are waited for, by id. An event takes all nodes of its ids off it:
  each of them goes on, or has expired. They return when their parent is reached again.

So an event costs three lookups; a step for each node that it reaches, for each condition that ends there, and for each
child that is put on the dynamic list, at most WIDE for one node; and a step for each node of its ids that has expired,
which is met once. On the static list it looks at one child of each wide node at most, and no more than one node in WIDE
is wide, counted when there were most: a node that became wide stays so.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import chain
from typing import Final, Generic, TypeVar

from walle.stream.conditions import Next, TriggerCondition, Within, WithinEvents, WithinSeconds

WIDE: Final = 32
"""A node with more children than this is wide: they are on the static pending list, where reaching it costs nothing."""
_NEVER: Final = -1.0

Task = TypeVar("Task")


class TriggerTrie(Generic[Task]):
    """The trigger conditions of tasks. A task is any hashable value, such as a name. Not thread-safe.

    Matches belong to conditions: a task that is added to a condition which others have shares their partial matches; a
    new condition sees only the events after it was added.
    """

    def __init__(self, wide: int = WIDE) -> None:
        self._wide = wide
        self._root: _Node[Task] = _Node("", None)
        self._position = 0
        self._static: dict[str, dict[_Node[Task], None]] = {}
        self._dynamic: dict[str, dict[_Node[Task], None]] = {}
        self._pending: OrderedDict[_Node[Task], None] = OrderedDict()
        self._unused: dict[_End[Task], _Node[Task]] = {}

    @property
    def nodes(self) -> int:
        """The number of middle nodes; it is counted, so ask for it seldom."""
        return sum(1 for _ in self._root.below())

    @property
    def pending(self) -> int:
        """The length of the dynamic pending list: each node is on it once at most, so it never exceeds their number.

        With every event that puts m nodes on it, m + 1 of it are looked at, and those that have expired leave it.
        """
        return len(self._pending)

    def add(self, condition: TriggerCondition, task: Task) -> None:
        """Let a condition trigger a task from the next event on. The partial matches of others stay."""
        node = self._root
        for id in condition.ids:
            node = node.children.get(id) or self._grow(node, id)
        end = node.end(condition.within)
        if end is None:
            end = _End(condition, since=self._position + 1)
            node.ends += (end,)
            node.widen(end.events, end.seconds)
        end.tasks[task] = None
        self._unused.pop(end, None)

    def remove(self, condition: TriggerCondition, task: Task) -> None:
        """Take a condition from a task; raise KeyError if the task does not have it.

        Nodes that no condition needs any more, and their partial matches, go with the next event: a condition that is
        added again before that, such as for a new version of the task, keeps its own.
        """
        node: _Node[Task] | None = self._root
        for id in condition.ids:
            node = node and node.children.get(id)
        end = node and node.end(condition.within)
        if not (node and end and task in end.tasks):
            raise KeyError(f"task {task!r} is not triggered by {condition}")
        del end.tasks[task]
        if not end.tasks:
            self._unused[end] = node

    def match(self, event_id: str, page: str, at: float) -> list[Task]:
        """Return the tasks that this event triggers, each once. `at` is in Unix seconds, and never decreases."""
        if self._unused:
            self._prune()
        self._position = position = self._position + 1
        self._root.start, self._root.started_at = position, at
        listed = len(self._pending)
        triggered: dict[Task, None] = {}
        for node, start, started_at in self._reached(event_id, page, at):
            node.start, node.started_at = start, started_at
            for end in node.ends:
                if start >= end.since and (position - start < end.events or at - started_at <= end.seconds):
                    triggered |= end.tasks
            self._await_children(node)
        if self._pending:
            self._sweep(1 + max(0, len(self._pending) - listed), at)
        return list(triggered)

    def forget_pending(self) -> None:
        """Forget all partial matches, so that conditions match only what comes from now on."""
        for node in self._pending:
            node.parent.resting.append(node)
        self._pending.clear()
        self._dynamic.clear()
        for node in self._root.below():
            node.start = self._position

    def _reached(self, event_id: str, page: str, at: float) -> list[tuple[_Node[Task], int, float]]:
        """Return the nodes that this event reaches, each with the start of its match, and take them from the list.

        Starts are read before any of them moves, so an event that has two ids of a match is one step of it.
        """
        reached = []
        for id in (event_id, page, f"{event_id}:{page}"):
            for node in self._static.get(id, ()):
                if node.is_awaited(self._position, at):
                    reached.append((node, node.parent.start, node.parent.started_at))
            for node in self._dynamic.pop(id, ()):
                if node.is_awaited(self._position, at):
                    reached.append((node, node.parent.start, node.parent.started_at))
                del self._pending[node]
                node.parent.resting.append(node)
        return reached

    def _await_children(self, node: _Node[Task]) -> None:
        for child in node.resting:
            self._dynamic.setdefault(child.id, {})[child] = None
            self._pending[child] = None
        node.resting.clear()

    def _sweep(self, count: int, at: float) -> None:
        """Take what has expired from the dynamic list, among the nodes that were looked at least recently."""
        for _ in range(min(count, len(self._pending))):
            node = next(iter(self._pending))
            if node.is_awaited(self._position + 1, at):
                self._pending.move_to_end(node)
            else:
                self._unlist(node)
                node.parent.resting.append(node)

    def _grow(self, parent: _Node[Task], id: str) -> _Node[Task]:
        node = parent.children[id] = _Node(id, parent)
        if parent.is_wide:
            self._static.setdefault(id, {})[node] = None
            return node
        parent.resting.append(node)
        if len(parent.children) > self._wide:
            for child in parent.children.values():
                self._unlist(child)
                self._static.setdefault(child.id, {})[child] = None
            parent.is_wide = True
        return node

    def _prune(self) -> None:
        """Remove the end nodes without tasks, and the middle nodes that led only to them."""
        for end, last in self._unused.items():
            last.ends = tuple(other for other in last.ends if other is not end)
            node = last
            while node is not self._root and not (node.ends or node.children):
                self._unlist(node)
                del node.parent.children[node.id]
                node = node.parent
            node.narrow()
        self._unused.clear()

    def _unlist(self, node: _Node[Task]) -> None:
        """Take a node from the list that it is on."""
        if node.parent.is_wide:
            _take(self._static, node)
        elif node in self._pending:
            del self._pending[node]
            _take(self._dynamic, node)
        else:
            node.parent.resting.remove(node)


def _take(nodes: dict[str, dict[_Node[Task], None]], node: _Node[Task]) -> None:
    del nodes[node.id][node]
    if not nodes[node.id]:
        del nodes[node.id]


class _End(Generic[Task]):
    """An end node: one condition and its tasks. Matches that began before the event `since` are not its own.

    A match keeps the condition if it ends fewer than `events` events, or at most `seconds`, after it began.
    """

    __slots__ = ("events", "seconds", "since", "tasks", "within")

    def __init__(self, condition: TriggerCondition, since: int) -> None:
        self.within: Within = condition.within
        self.since = since
        self.tasks: dict[Task, None] = {}
        self.events, self.seconds = 0, _NEVER
        match condition.within:
            case Next():
                self.events = len(condition.ids)
            case WithinEvents(n):
                self.events = n
            case WithinSeconds(s):
                self.seconds = s


class _Node(Generic[Task]):
    """A middle node, or the root, which is its own parent.

    `start` is the position of the first event of the latest match that has reached it, `started_at` the time of that
    event. A match that began fewer than `events` events or at most `seconds` ago may still reach it: whatever is slower
    can end nowhere below it. `resting` has those children that are on neither pending list.
    """

    __slots__ = ("children", "ends", "events", "id", "is_wide", "parent", "resting", "seconds", "start", "started_at")

    def __init__(self, id: str, parent: _Node[Task] | None) -> None:
        self.id = id
        self.parent = parent or self
        self.children: dict[str, _Node[Task]] = {}
        self.resting: list[_Node[Task]] = []
        self.ends: tuple[_End[Task], ...] = ()
        self.is_wide = parent is None
        self.events, self.seconds = 0, _NEVER
        self.start, self.started_at = 0, 0.0

    def is_awaited(self, position: int, at: float) -> bool:
        """Whether a match has reached the parent that has not gone on to here, and still may at this event."""
        start = self.parent.start
        return start > self.start and (position - start < self.events or at - self.parent.started_at <= self.seconds)

    def end(self, within: Within) -> _End[Task] | None:
        """Return the end node of the condition whose ids lead here."""
        return next((end for end in self.ends if end.within == within), None)

    def widen(self, events: int, seconds: float) -> None:
        """Let matches that keep these limits reach this node, and the nodes above it accordingly earlier."""
        node = self
        while node.parent is not node:
            node.events, node.seconds = max(node.events, events), max(node.seconds, seconds)
            node, events = node.parent, events - 1

    def narrow(self) -> None:
        """Take back from this node and those above it what only an end node that is gone needed."""
        node = self
        while node.parent is not node:
            node.events, node.seconds = node._longest()
            node = node.parent

    def _longest(self) -> tuple[int, float]:
        """Return the longest limits of its ends and children: at most those that it has, where the search can end."""
        events, seconds = 0, _NEVER
        below = ((child.events - 1, child.seconds) for child in self.children.values())
        for limits in chain(((end.events, end.seconds) for end in self.ends), below):
            events, seconds = max(events, limits[0]), max(seconds, limits[1])
            if (events, seconds) == (self.events, self.seconds):
                break
        return events, seconds

    def below(self) -> Iterator[_Node[Task]]:
        """Yield all nodes below this one."""
        waiting = [*self.children.values()]
        while waiting:
            node = waiting.pop()
            waiting += node.children.values()
            yield node
