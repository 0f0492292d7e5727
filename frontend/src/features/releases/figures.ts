/** Parses the figures of a release and its strategy, which the API types as plain objects. */
import { asList, asNumber, asObject, asText, type JsonObject } from '@/lib/json'

export type ArmFigures = {
  drawn: number
  offered: number
  installed: number
  reported: number
  healthy: number
  failed: number
  silent: number
  /** The number of devices that have installed it, check in, and on which the task's condition has not occurred. */
  awaiting_trigger: number
  /** The number of devices that put the version off for now: they check in, and are not silent. */
  deferred: number
  /** The number of devices whose silence timeout is over. */
  due: number
  /** The number of devices selected in the present stage that have reported. */
  inStage: number
  /** Milliseconds of the first runs that were not warm, and of the first warm ones. */
  cold: RunTimes
  warm: RunTimes
}
/** `timed` is the number of devices that they are of. */
export type RunTimes = { timed: number; p50: number | null; p95: number | null; p99: number | null }
/** Null in figures that were counted before these counts existed. */
type StageFigures = {
  drawn: number
  offered: number | null
  installed: number | null
  healthy: number
  failed: number
  /** The number of devices that failed after the stage had been left. */
  failedLate: number
  silent: number | null
  awaiting_trigger: number | null
  deferred: number | null
}
export type Figures = {
  treatment: ArmFigures
  control: ArmFigures
  /** The new devices of treatment that nobody vouches for: verdicts do not count them. */
  newDevices: ArmFigures
  stages: ReadonlyMap<number, StageFigures>
  errors: [name: string, devices: number][]
  /** Why devices put the version off, the most frequent reason first. */
  deferred: [reason: string, devices: number][]
  /** The ids of the condition that triggers the task; none for a task that runs by itself. */
  trigger: string[]
  countedAt: string | null
  /** When the list of devices was deleted, long after the release had ended. */
  deletedAt: string | null
}

export type StageStrategy = { dwellS: number; evidence: number; pace: number | null }
export type Strategy = {
  simulation: boolean
  approval: boolean
  /** The share of the control group in percent. */
  control: number
  windowed: boolean
  stages: StageStrategy[]
}

export type Finding = {
  test: string
  objects: boolean
  /** Harm is more likely than not, which keeps a stage from passing. */
  leans: boolean
  /** The logarithm of the odds against the version, and from which on it objects. */
  logEvidence: number
  threshold: number
  sentence: string
  doubt: string
}

/** What verdicts count of one arm. */
export type Counts = Pick<ArmFigures, 'drawn' | 'reported' | 'failed' | 'due' | 'silent'>

export function readFigures(value: JsonObject): Figures {
  return {
    treatment: readArm(asObject(value.treatment)),
    control: readArm(asObject(value.control)),
    newDevices: readArm(asObject(value.new)),
    stages: new Map(
      list(value.stages).map((stage) => [
        number(stage.position),
        {
          drawn: number(stage.drawn),
          offered: asNumber(stage.offered),
          installed: asNumber(stage.installed),
          healthy: number(stage.reported) - number(stage.failed),
          failed: number(stage.failed),
          failedLate: number(stage.failed_late),
          silent: asNumber(stage.silent),
          awaiting_trigger: asNumber(stage.awaiting_trigger),
          deferred: asNumber(stage.deferred),
        },
      ]),
    ),
    errors: counts(value.errors),
    deferred: counts(value.deferred),
    trigger: asList(value.trigger).map(asText),
    countedAt: typeof value.counted_at === 'string' ? value.counted_at : null,
    deletedAt: typeof value.exposures_deleted_at === 'string' ? value.exposures_deleted_at : null,
  }
}

function readArm(arm: JsonObject): ArmFigures {
  const reported = number(arm.reported)
  const failed = number(arm.failed)
  return {
    drawn: number(arm.drawn),
    offered: number(arm.offered),
    installed: number(arm.installed),
    reported,
    healthy: reported - failed,
    failed,
    silent: number(arm.silent),
    awaiting_trigger: number(arm.awaiting_trigger),
    deferred: number(arm.deferred),
    due: number(arm.due),
    inStage: number(arm.in_stage),
    cold: readTimes(arm, ''),
    warm: readTimes(arm, 'warm_'),
  }
}

function readTimes(arm: JsonObject, prefix: '' | 'warm_'): RunTimes {
  const [p50, p95, p99] = ['p50', 'p95', 'p99'].map((name) => asNumber(arm[`${prefix}${name}_ms`]))
  return { timed: number(arm[`${prefix}timed`]), p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null }
}

export function readStrategy(value: JsonObject): Strategy {
  return {
    simulation: value.simulation !== false,
    approval: value.approval === true,
    control: number(value.control_percent),
    windowed: value.window !== null && value.window !== undefined,
    stages: list(value.stages).map((stage) => ({
      dwellS: number(stage.dwell_s),
      evidence: number(stage.evidence),
      pace: asNumber(stage.pace),
    })),
  }
}

/** Parses the results of a verdict's tests. */
export function readFindings(evidence: JsonObject): Finding[] {
  return list(evidence.findings).map((one) => ({
    test: asText(one.test),
    objects: one.objects === true,
    leans: one.leans === true,
    logEvidence: number(one.log_evidence),
    threshold: number(one.threshold),
    sentence: asText(one.sentence),
    doubt: asText(one.doubt),
  }))
}

/** Parses what a verdict counted; null: nobody was held back as control. */
export function readCounts(evidence: JsonObject): { treatment: Counts; control: Counts | null } {
  const { treatment, control } = asObject(evidence.counts)
  return { treatment: readArm(asObject(treatment)), control: control ? readArm(asObject(control)) : null }
}

function counts(value: unknown): [name: string, devices: number][] {
  return Object.entries(asObject(value)).map(([name, devices]) => [name, number(devices)])
}

function list(value: unknown): JsonObject[] {
  return asList(value).map(asObject)
}

function number(value: unknown): number {
  return asNumber(value) ?? 0
}
