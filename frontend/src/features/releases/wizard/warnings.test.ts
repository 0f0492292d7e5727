import { expect, test } from 'vitest'
import type { ReleasePlan } from '@/api/schemas'
import { stageOf, warningSentence, warningsOf } from './warnings'

const STAGE = { field: 'strategy.stages[1].evidence', detail: 'it waits for 100 devices to report' }
const RULE = { field: 'rule', detail: 'the rule matches no known device' }
const PLAN = { warnings: [STAGE, RULE] } as ReleasePlan

test('warnings stand at the step that causes them', () => {
  expect(warningsOf(PLAN, 'devices')).toEqual([RULE])
  expect(warningsOf(PLAN, 'stages')).toEqual([STAGE])
  expect(warningsOf(PLAN, 'version')).toEqual([])
  expect(warningsOf(undefined, 'stages')).toEqual([])
})

test('a warning about a stage names it as on the screen', () => {
  expect([stageOf(STAGE), stageOf(RULE)]).toEqual([1, null])
  expect(warningSentence(STAGE)).toBe('Stage 2: it waits for 100 devices to report.')
  expect(warningSentence(RULE)).toBe('The rule matches no known device.')
})
