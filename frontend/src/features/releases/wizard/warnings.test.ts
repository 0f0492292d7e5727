import { expect, test } from 'vitest'
import { warningsAt, warningsByStep, warningsElsewhere, warningSentence } from './warnings'

const STAGE = { field: 'strategy.stages[1].evidence', detail: 'it waits for 100 devices to report' }
const RULE = { field: 'rule', detail: 'the rule matches no known device' }
const VERSION = { field: 'version', detail: 'it is lower than 1.1.0' }
const UNSIMULATED = { needed: true, cells: [], problems: ['1.0.0 has no profile'] }
const SIMULATION = { field: 'strategy.simulation', detail: '1.0.0 has no profile' }
const PLAN = { warnings: [STAGE, RULE, VERSION], simulation: UNSIMULATED }

test('warnings stand at the step that causes them', () => {
  expect(warningsByStep(PLAN, undefined)).toEqual({
    version: [VERSION],
    devices: [RULE],
    stages: [STAGE, SIMULATION],
    review: [],
  })
  expect(warningsByStep({ ...PLAN, simulation: { ...UNSIMULATED, needed: false } }, undefined).stages).toEqual([STAGE])
})

test('before there is a rule, only what is known of the version is said', () => {
  expect(warningsByStep(undefined, PLAN)).toEqual({ version: [VERSION], devices: [], stages: [], review: [] })
  expect(warningsByStep({ ...PLAN, warnings: [] }, PLAN).version).toEqual([])
})

test('within a step they stand where they belong, and those without a place above all', () => {
  const all = [STAGE, SIMULATION]
  expect(warningsAt(all, 'strategy.stages[1]')).toEqual([STAGE])
  expect(warningsAt(all, 'strategy.stages[10]')).toEqual([])
  expect(warningsElsewhere(all, ['strategy.stages[1]', 'strategy.control_percent'])).toEqual([SIMULATION])
})

test('a warning about a stage names it as on the screen', () => {
  expect(warningSentence(STAGE)).toBe('Stage 2: it waits for 100 devices to report.')
  expect(warningSentence(RULE)).toBe('The rule matches no known device.')
})
