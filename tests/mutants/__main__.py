"""`make mutants`: puts bugs into copies of the tree, one at a time, and says which of them no test notices."""

from __future__ import annotations

import argparse
import queue
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final

from tests.mutants.areas import AREAS, generated
from tests.mutants.rewrites import DoesNotApply, Mutant, listed
from tests.mutants.trials import Copy, Result, Trial, copies, is_of_library

LIMIT_S: Final = 300.0
"""For the tests of one bug of the list."""
MAY_SURVIVE: Final = 0.05
_NOTICED: Final = (Result.NOTICED, Result.TOO_LONG)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what was asked for; 0 if enough was noticed and everything could be tried."""
    asked = _asked(arguments)
    # A shell that runs this in the background has it ignored; tests that take too long have to hear of it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    bugs, stale = _listed(asked.only, asked.bug)
    for line in stale:
        print(f"DOES NOT APPLY  {line}")
    if not (bugs or stale or (asked.count and not asked.bug)):
        print(
            f"No bug of the list says {asked.bug!r} there: see tests/mutants/bugs." if asked.bug else "Nothing to try."
        )
        return 2
    with copies(asked.n) as folders:
        sound = not stale
        groups = [("the list", bugs, LIMIT_S)]
        if bugs:
            sound &= _passes("the list", folders[0], sorted({test for bug in bugs for test in bug.tests})) is not None
        for name in [
            name for name in AREAS if asked.count and not asked.bug and (not asked.only or name in asked.only)
        ]:
            drawn = generated(name, seed=asked.seed, count=asked.count)
            took = _passes(name, folders[0], drawn[0].tests)
            sound &= took is not None
            groups.append((f"{name}, seed {asked.seed}", drawn, 60 + 4 * (took or 0)))
        if not sound:
            return 2
        enough = [_try(title, mutants, folders, limit_s) for title, mutants, limit_s in groups if mutants]
    return 0 if all(enough) else 1


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    areas = sorted({one.area for one in listed()} | set(AREAS))
    parser.add_argument("--only", nargs="+", default=[], choices=areas, metavar="AREA", help="all of them if left out")
    parser.add_argument("--seed", type=int, default=1, help="what generated bugs are drawn with (1)")
    parser.add_argument("--count", type=int, default=25, help="how many are generated in each area (25)")
    parser.add_argument("--bug", default="", help="no others than those of the list whose sentence holds this text")
    parser.add_argument("-n", type=int, default=2, help="how many are tried at once (2)")
    return parser.parse_args(arguments)


def _listed(only: Sequence[str], words: str) -> tuple[list[Mutant], list[str]]:
    """The bugs of the list, and a line for each that no longer fits the code."""
    bugs, stale = [], []
    for one in listed():
        if (only and one.area not in only) or words not in one.what:
            continue
        try:
            if missing := one.missing_test():
                raise DoesNotApply(f"there is no test {missing}")
            bugs.append(Mutant(one.area, one.what, one.file, one.rewritten(), one.tests))
        except DoesNotApply as error:
            stale.append(f"{one.area}: {one.what} ({error})")
    return bugs, stale


def _passes(title: str, copy: Copy, tests: Iterable[str]) -> float | None:
    """How long the tests take without any bug; None if they fail then, too, and so would tell nothing."""
    print(f"{title}: the tests without any bug ...", flush=True)
    began = time.monotonic()
    by_library: dict[bool, list[str]] = {}
    for test in tests:
        by_library.setdefault(is_of_library(test), []).append(test)
    for part in by_library.values():
        status, output = copy.run(part)
        if status:
            print(output[-6000:], f"\n{title}: these fail without any bug. Mend them first.", sep="")
            return None
    return time.monotonic() - began


def _try(title: str, mutants: Sequence[Mutant], folders: Sequence[Copy], limit_s: float) -> bool:
    """Try bugs, as many at once as there are copies; whether enough of them were noticed."""
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for folder in folders:
        free.put(folder)

    def attempt(mutant: Mutant) -> Trial:
        copy = free.get()
        try:
            return copy.put(mutant, limit_s=limit_s)
        finally:
            free.put(copy)

    trials = []
    with ThreadPoolExecutor(len(folders)) as pool:
        for done in as_completed([pool.submit(attempt, mutant) for mutant in mutants]):
            trials.append(trial := done.result())
            place = f"{len(trials)}/{len(mutants)}"
            print(f"{title} {place:>9}  {trial.result:<9} {trial.seconds:6.1f} s  {trial.mutant.what}", flush=True)
            if trial.result == Result.NOT_TRIED:
                print(trial.output[-3000:])
    return _summary(title, trials)


def _summary(title: str, trials: Sequence[Trial]) -> bool:
    counts = Counter(trial.result for trial in trials)
    for trial in trials:
        if trial.result == Result.SURVIVED:
            print(f"\nSURVIVED  {trial.mutant.what}\n{trial.mutant.diff()}")
    noticed = sum(counts[result] for result in _NOTICED)
    survived = counts[Result.SURVIVED] / len(trials)
    share = f"{survived:.1%}; at most {MAY_SURVIVE:.0%} may"
    print(f"\n{title}: {noticed} of {len(trials)} noticed, {counts[Result.SURVIVED]} survived ({share})")
    return survived <= MAY_SURVIVE and not counts[Result.NOT_TRIED]


if __name__ == "__main__":
    sys.exit(main())
