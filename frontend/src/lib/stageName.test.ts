import { expect, test } from 'vitest'
import { stageOf } from './stageName'

test.each([
  ['before the first', null, 'No device yet'],
  ['testers', { position: 0, kind: 'beta', share: 0, id_list: 'testers' }, 'Beta testers, 1 of 4'],
  ['a gray step', { position: 2, kind: 'gray', share: 500_000, id_list: '' }, 'Gray 50 %, 3 of 4'],
  ['a small gray step', { position: 1, kind: 'gray', share: 500, id_list: '' }, 'Gray 0.05 %, 2 of 4'],
] as const)('the stage is named: %s', (_case, stage, named) => {
  expect(stageOf({ stage, stages: 4 })).toBe(named)
})
