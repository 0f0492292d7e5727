"""Judge the present stage of a release: its verdict, and the move that is due."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from releases_app.models import Release, Stage
from releases_app.selectors.deferring import deferring, established_in
from releases_app.selectors.evidence import evidence_of
from releases_app.selectors.progress import stage_seconds
from releases_app.selectors.tallies import release_tallies
from walle.release.engine import NextMove, StageProgress, next_move
from walle.release.verdict import Verdict, judge


@dataclass(frozen=True)
class Judgement:
    """A verdict about a stage with its evidence, and the next step."""

    stage: Stage
    verdict: Verdict
    evidence: dict[str, Any]
    step: NextMove


def judge_stage(release: Release, now: datetime) -> Judgement:
    """Judge the stage of a release from the rows as they are; raises Stage.DoesNotExist if it is in none."""
    stage = next((each for each in release.stages.all() if each.position == release.position), None)
    if stage is None:
        raise Stage.DoesNotExist(f"{release} is in no stage")
    counted, strategy = release_tallies(release), release.parsed_strategy
    tallies, found = counted.of_arms(stage), evidence_of(release, counted, stage, now=now)
    verdict = judge(found, strategy.limits, strategy.stages[stage.position].evidence)
    evidence = {"counts": found.to_dict(), "findings": verdict.to_dict()["findings"]}
    in_stage = tallies.treatment.in_stage, tallies.new_treatment.in_stage
    progress = StageProgress(stage.position, stage_seconds(release, now), *in_stage, found.trigger, found.subjects)
    if progress.reported < strategy.stages[stage.position].evidence:
        progress = replace(progress, put_off=established_in(deferring(release, now=now), stage.pk))
    return Judgement(stage, verdict, evidence, next_move(strategy, progress, verdict))
