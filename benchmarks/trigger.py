"""Claim: an event finds the stream tasks that it triggers in about a microsecond, among ten conditions or 10 000.

Three shapes of conditions grow from 10 to 10 000: all first ids different; shared prefixes (eight, of which the session
matches most again and again); and as many partial matches as conditions, which all wait while other events come. The
events that are measured complete none of them. Beside the trie, on the same events, is the paper's trivial method: a
list of conditions that is traversed for each event (support/scanned_list.py). Before that, both have to trigger the
same tasks, event by event, on conditions that match often.

Then a hundred conditions as tasks have them (a page's exit; a click on a page within 20 events of its enter; an exit
within 60 s of a click), at the printed rate of triggered tasks by event. Last the shape that eKuiper publishes, 300
rules at 500 events/s each, as a share of one core: once with 500 events/s that all rules see, once with 500 for each.

Times are CPU times of the matching thread, so that other processes do not count; the contestants take turns. Events
are those of people who browse, from a generator with a seed: page enter, scrolls, exposures, clicks, page exit, 19 for
each view of a page.
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from benchmarks.support.scanned_list import ScannedList
from walle.stream.conditions import TriggerCondition, WithinEvents, WithinSeconds
from walle.stream.trie import TriggerTrie

SEED = 2022
BATCH = 100
"""Events between two readings of the clock."""
STEPS = (10, 100, 1000)
USUAL, RULES, RULE_RATE = 100, 300, 500
PREFIXES = ("page_enter", "page_exit", "click", "exposure", "page_enter:item/1", "item/2", "item/3", "item/4")
PAGES = 50
VIEW = ("page_scroll",) * 6 + ("exposure",) * 8 + ("click",) * 3
START, BETWEEN_S = 1_700_000_000.0, 0.1

Event = tuple[str, str, float]
Matcher = TriggerTrie[str] | ScannedList


def different(n: int) -> TriggerCondition:
    return TriggerCondition((f"click:shop/{n}", "page_exit"), WithinEvents(20))


def shared(n: int) -> TriggerCondition:
    return TriggerCondition((PREFIXES[n % len(PREFIXES)], f"click:shop/{n}"), WithinEvents(20))


def pending(n: int) -> TriggerCondition:
    return TriggerCondition((f"page_enter:shop/{n}", f"page_exit:shop/{n}"), WithinSeconds(86_400))


def usual(n: int) -> TriggerCondition:
    page = f"item/{n // 3}"
    kinds = (
        TriggerCondition((f"page_exit:{page}",)),
        TriggerCondition((f"page_enter:{page}", f"click:{page}"), WithinEvents(20)),
        TriggerCondition((f"click:{page}", "page_exit"), WithinSeconds(60)),
    )
    return kinds[n % 3]


SHAPES: dict[str, Callable[[int], TriggerCondition]] = {"different": different, "shared": shared, "pending": pending}
BENCHMARK = Benchmark(
    "trigger",
    scale={
        "conditions": Dimension(10_000, 200),
        "events": Dimension(20_000, 400),
        "list_events": Dimension(200, 20),
        "rounds": Dimension(25, 2),
    },
    targets=(
        *(Target(f"growth_{shape}", at_most=2) for shape in SHAPES),
        *(Target(f"list_to_trie_{shape}", at_least=100) for shape in SHAPES),
        Target("usual_events_per_s", at_least=300_000),
    ),
    assumptions=(
        "matching alone: the tasks that are triggered do not run, and no app reports the events",
        f"the events of a session have five event ids and {PAGES} pages",
        f"of eKuiper's {RULES} rules at {RULE_RATE} events/s only the shape is taken: it also parses and filters",
        "10 000 conditions on one device are far more than apps have: they show what the cost does not depend on",
    ),
)

console = Console(highlight=False, width=130)


def browsing() -> Iterator[Event]:
    """Yield the events of people who browse for ever: event id, page, Unix seconds."""
    rng, at = random.Random(SEED), START
    while True:
        page = f"item/{rng.randrange(PAGES)}"
        for kind in ("page_enter", *rng.sample(VIEW, len(VIEW)), "page_exit"):
            at += BETWEEN_S
            yield kind, page, at


@dataclass
class MatcherRun:
    """A matcher with conditions, and the CPU time of each batch of events that it was given, in us for one event."""

    matcher: Matcher
    session: Iterator[Event] = field(default_factory=browsing)
    batches: list[float] = field(default_factory=list)
    slices: list[float] = field(default_factory=list)
    triggered: int = 0
    events: int = 0

    def take_turn(self, count: int) -> None:
        """Match this many events more."""
        events, match = [*islice(self.session, count)], self.matcher.match
        found = []
        for first in range(0, count, BATCH):
            batch = events[first : first + BATCH]
            started = time.thread_time_ns()
            for id, page, at in batch:
                if tasks := match(id, page, at):
                    self.triggered += len(tasks)
            found.append((time.thread_time_ns() - started) / 1000 / len(batch))
        self.batches += found
        self.slices.append(float(np.mean(found)))
        self.events += count

    def cost_us(self) -> float:
        return float(np.median(self.slices))

    def percentiles(self) -> tuple[float, float]:
        p50, p99 = np.percentile(self.batches, (50, 99))
        return float(p50), float(p99)


def main() -> int:
    BENCHMARK.announce()
    audit()
    figures: dict[str, float] = {}
    for shape in SHAPES:
        figures |= growth(shape)
    return BENCHMARK.judge(figures | as_tasks_have_them() | ekuiper())


def audit() -> None:
    """Check that the trie and the list trigger the same tasks."""
    trie, scanned = filled(TriggerTrie(), usual, USUAL), filled(ScannedList(), usual, USUAL)
    for event in islice(browsing(), BENCHMARK.size("events")):
        if sorted(trie.match(*event)) != sorted(scanned.match(*event)):
            raise SystemExit(f"the trie and the list trigger different tasks at {event}")


def filled(matcher: Matcher, condition: Callable[[int], TriggerCondition], count: int) -> Matcher:
    for n in range(count):
        matcher.add(condition(n), f"task/{n}")
    return matcher


def growth(shape: str) -> dict[str, float]:
    """Measure one shape with more and more conditions, and the list with as many."""
    most = BENCHMARK.size("conditions")
    sizes = [*(size for size in STEPS if size < most), most]
    tries = {size: prepared(TriggerTrie(), shape, size) for size in sizes}
    lists = {size: prepared(ScannedList(), shape, size) for size in sizes}
    for _ in range(BENCHMARK.size("rounds")):
        for size in sizes:
            tries[size].take_turn(BENCHMARK.size("events"))
            lists[size].take_turn(BENCHMARK.size("list_events"))
    if any(contestant.triggered for contestant in (*tries.values(), *lists.values())):
        raise SystemExit(f"{shape}: a task was triggered, and none should be")
    waiting = {size: found.matcher.pending for size, found in tries.items()}
    figures = {f"pending_{shape}_{size}": float(waiting[size]) for size in sizes}
    table = Table(
        "conditions", "pending", "us", "batch p50", "batch p99", "list us", "list p50", "list p99", "bytes/condition",
        title=f"{shape}: CPU for one event",
    )  # fmt: skip
    for size in sizes:
        memory = bytes_by_condition(shape, size)
        cells = [str(size), str(waiting[size])]
        for name, contestant in (("trie", tries[size]), ("list", lists[size])):
            p50, p99 = contestant.percentiles()
            figures |= {f"{name}_us_{shape}_{size}": contestant.cost_us()}
            figures |= {f"{name}_p50_us_{shape}_{size}": p50, f"{name}_p99_us_{shape}_{size}": p99}
            cells += [f"{value:.2f}" for value in (contestant.cost_us(), p50, p99)]
        figures[f"bytes_by_condition_{shape}_{size}"] = memory
        table.add_row(*cells, f"{memory:.0f}")
    console.print(table)
    grown = zip(tries[most].slices, tries[sizes[0]].slices, strict=True)
    beside = zip(lists[most].slices, tries[most].slices, strict=True)
    figures |= Ratio.of([many / few for many, few in grown]).figures(f"growth_{shape}")
    return figures | Ratio.of([scanned / trie for scanned, trie in beside]).figures(f"list_to_trie_{shape}")


def prepared(matcher: Matcher, shape: str, count: int) -> MatcherRun:
    """Return a contestant with so many conditions; those that are to be pending have seen their first events."""
    contestant = MatcherRun(filled(matcher, SHAPES[shape], count))
    if shape == "pending":
        for n in range(count):
            matcher.match("page_enter", f"shop/{n}", START)
    return contestant


def bytes_by_condition(shape: str, count: int) -> float:
    """Measure the memory of a trie with what it has pending, but without conditions and tasks, which the caller has."""
    conditions = [SHAPES[shape](n) for n in range(count)]
    tracemalloc.start()
    trie = TriggerTrie[str]()
    for condition in conditions:
        trie.add(condition, shape)
    if shape == "pending":
        for n in range(count):
            trie.match("page_enter", f"shop/{n}", 0.0)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / count


def as_tasks_have_them() -> dict[str, float]:
    """Measure the usual hundred conditions, which match."""
    contestant = measured(usual, USUAL)
    p50, p99 = contestant.percentiles()
    rate = contestant.triggered / contestant.events
    console.print(
        f"{USUAL} usual conditions: {1e6 / contestant.cost_us():,.0f} events/s, at {rate:.3f} triggered tasks by event"
    )
    figures = {"usual_events_per_s": 1e6 / contestant.cost_us(), "usual_triggered_by_event": rate}
    return figures | {"usual_p50_us": p50, "usual_p99_us": p99, "usual_pending": contestant.matcher.pending}


def ekuiper() -> dict[str, float]:
    """Measure what part of a core 300 conditions need."""
    contestant = measured(usual, RULES)
    share = contestant.cost_us() * 1e-6 * RULE_RATE
    console.print(
        f"{RULES} rules at {RULE_RATE} events/s: {share:.2%} of a core; each with its own: {RULES * share:.1%}"
    )
    return {
        "ekuiper_us": contestant.cost_us(),
        "ekuiper_triggered_by_event": contestant.triggered / contestant.events,
        "ekuiper_same_events_core_share": share,
        "ekuiper_own_events_core_share": RULES * share,
    }


def measured(condition: Callable[[int], TriggerCondition], count: int) -> MatcherRun:
    contestant = MatcherRun(filled(TriggerTrie(), condition, count))
    for _ in range(BENCHMARK.size("rounds")):
        contestant.take_turn(BENCHMARK.size("events"))
    return contestant


if __name__ == "__main__":
    sys.exit(main())
