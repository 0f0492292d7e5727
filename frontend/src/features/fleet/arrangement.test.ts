import { expect, test } from 'vitest'
import { contentsOf, orderOf } from './arrangement'

const open = { acknowledged: null }
const known = { acknowledged: { by: 'rita', note: 'seen', at: '2026-05-01T00:00:00Z' } }
const full = { attention: [open, known], releases: [1], devices: 3 }

test('cards with something to show stand in their usual order', () => {
  expect(contentsOf(full)).toEqual({ attention: true, activity: true, releases: true, coverage: true })
  expect(orderOf(contentsOf(full))).toEqual(['activity', 'releases', 'coverage'])
})

test('what somebody knows of needs no attention', () => {
  expect(contentsOf({ ...full, attention: [known] }).attention).toBe(false)
})

test('no release comes last; before the first device, how one comes is first', () => {
  expect(orderOf(contentsOf({ ...full, releases: [] }))).toEqual(['activity', 'coverage', 'releases'])
  expect(orderOf(contentsOf({ ...full, releases: [], devices: 0 }))).toEqual(['coverage', 'activity', 'releases'])
})
