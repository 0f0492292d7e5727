import { expect, test } from 'vitest'
import { atOnce, changedStage, formOf, strategyOf, USUAL_WATCH, withoutStage, withStage } from './strategy'

const WHOLE = {
  simulation: true,
  approval: false,
  stages: [
    { kind: 'beta', list: 'testers', dwell_s: 300, evidence: 5 },
    { kind: 'gray', percent: 1, dwell_s: 300, evidence: 100, pace: 200 },
    { kind: 'gray', percent: 100, dwell_s: 300, evidence: 100 },
  ],
  control_percent: 5,
  limits: { failure_rate: 0.01, latency_ms: 250 },
  metric: 'confidence',
  grace_s: 3600,
  silence_s: 900,
  defer_s: 86_400,
  window: { zone: 'Asia/Shanghai', from: '01:00', to: '05:00', days: [0, 1] },
  after_complete: { failure_rate: 0.02, period_s: 86400, evidence: 50, action: 'roll-back' },
}

test('a strategy comes back as it was', () => {
  expect(strategyOf(formOf(WHOLE))).toEqual(WHOLE)
})

test('what the server answers as null is not said', () => {
  const answered = { ...WHOLE, metric: null, window: null, limits: { failure_rate: 0.01, latency_ms: null } }
  expect(strategyOf(formOf(answered))).toEqual({ ...answered, limits: { failure_rate: 0.01 } })
})

test('a release that is not watched after completion stays so, and defaults are left to the server', () => {
  const unwatched = { ...WHOLE, after_complete: null }
  expect(strategyOf(formOf(unwatched))).toEqual(unwatched)
  const usual = { ...formOf(WHOLE), after_complete: USUAL_WATCH }
  expect(strategyOf(usual).after_complete).toEqual({ action: 'alert' })
})

test('a share that is missing is sent as such, to be refused where it stands', () => {
  const { stages } = formOf(WHOLE)
  const emptied = { ...formOf(WHOLE), stages: changedStage(stages, stages[1]?.key ?? 0, { percent: '', dwell_s: '' }) }
  expect(strategyOf(emptied).stages).toContainEqual({ kind: 'gray', percent: null, evidence: 100, pace: 200 })
})

test('a stage is added half-way before the last, and removed', () => {
  const { stages } = formOf(WHOLE)
  const more = withStage(stages)
  expect(more.map(({ percent }) => percent)).toEqual(['', 1, 51, 100])
  expect(new Set(more.map(({ key }) => key)).size).toBe(4)
  expect(withoutStage(more, more[2]?.key ?? 0)).toEqual(stages)
  expect(withStage([]).map(({ percent }) => percent)).toEqual([100])
})

test('at once is one stage that waits for nothing, under the same limits', () => {
  expect(strategyOf(atOnce(formOf(WHOLE)))).toMatchObject({
    simulation: false,
    control_percent: 0,
    stages: [{ kind: 'gray', percent: 100, dwell_s: 0, evidence: 0 }],
    limits: WHOLE.limits,
  })
})
