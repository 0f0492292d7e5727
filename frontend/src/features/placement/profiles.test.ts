import { expect, test } from 'vitest'
import { measuredModels, profileChoices, profileOf } from './profiles'
import type { Placement } from './answer'
import type { PlacementRow } from './progress'

const about = { task: 'questions', version: '1.0.0', seconds: 1, types: [] }
const row = (id: number, state: string, profiled: object | null) => ({ id, state, profiled }) as unknown as PlacementRow

test('a profile is named by its version, and known once it was measured', () => {
  expect(profileOf(null)).toBeNull()
  expect(profileOf(about)).toEqual({ name: 'questions 1.0.0' })
  expect(profileOf({ ...about, placement: 3 })).toEqual({ name: 'questions 1.0.0', placement: 3 })
})

test('only placements that were measured themselves, and have ended, are offered', () => {
  const rows = [
    row(5, 'running', { ...about, placement: 5 }),
    row(4, 'succeeded', { ...about, placement: 3 }),
    row(3, 'infeasible', { ...about, placement: 3 }),
    row(2, 'failed', about),
    row(1, 'succeeded', null),
  ]
  expect(profileChoices(rows)).toEqual([{ value: '3', label: '#3: questions 1.0.0' }])
})

test('measurements are a row for each model and type of worker, in the order of the workflow', () => {
  const times = (ms: number) => ({ cut: { a: { box: ms } }, guess: { low: { box: ms, gpu: ms / 10 } } })
  const problem = { workflow: { operators: [{ name: 'guess' }, { name: 'unmeasured' }, { name: 'cut' }] } }
  const measurements = {
    accuracy_rows: {
      guess: {
        low: [
          { inputs: [], output: 20 },
          { inputs: [], output: 25 },
        ],
      },
    },
    edges: [],
    profiles: { p50: times(10), p75: times(20), p90: times(30) },
  }
  const of = (given: object | null) => measuredModels({ problem, measurements: given } as unknown as Placement)
  expect(of(measurements)).toEqual([
    { operator: 'guess', model: 'low', type: 'box', accuracy: 25, p50: 10, p75: 20, p90: 30 },
    { operator: 'guess', model: 'low', type: 'gpu', accuracy: 25, p50: 1, p75: 2, p90: 3 },
    { operator: 'cut', model: 'a', type: 'box', accuracy: null, p50: 10, p75: 20, p90: 30 },
  ])
  expect(of(null)).toEqual([])
})
