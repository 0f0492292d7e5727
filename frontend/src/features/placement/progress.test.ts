import { expect, it } from 'vitest'
import { markOf, withLast, type PlacementRow } from './progress'

const placement = (id: number, workflow: string, cost: number | null = null) =>
  ({ id, scenario: 'camera', workflow, cost, state: 'running', progress: {} }) as unknown as PlacementRow
const workflow = (slug: string, last: PlacementRow | null) => ({
  scenario: 'camera',
  slug,
  updated_by: 'ada',
  updated_at: '2026-01-01T00:00:00Z',
  last_placement: last,
})

it('a workflow has its newest placement, as it was told last', () => {
  const rows = [workflow('cars', placement(2, 'cars')), workflow('pots', null), workflow('late', placement(9, 'late'))]
  const told = [placement(5, 'pots'), placement(4, 'cars', 3), placement(3, 'cars'), placement(1, 'late')]
  expect(withLast(rows, told).map(({ last_placement: last }) => [last?.id, last?.cost])).toEqual([
    [4, 3],
    [5, null],
    [9, null],
  ])
})

it('there is more to read when the state, the phase or the best cost changes, and not each second', () => {
  const row = (phase: string, seconds: number, cost: number) =>
    markOf({ state: 'running', progress: { phase, seconds }, cost })
  expect(row('plans', 1, 5)).toBe(row('plans', 2, 5))
  expect(row('plans', 1, 5)).not.toBe(row('plans', 1, 4))
  expect(row('plans', 1, 5)).not.toBe(row('rates', 1, 5))
})
