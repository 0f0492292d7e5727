import { expect, test } from 'vitest'
import type { Plan, Problem } from './answer'
import { halvesOf, tiersOf } from './halves'

const NAMES = ['look', 'listen', 'answer']
const problem: Problem = {
  workflow: { sources: [], sink: 'answer', operators: NAMES.map((name) => ({ name, models: [] })), edges: [] },
  infrastructure: {
    tiers: [{ name: 'phone' }, { name: 'edge' }, { name: 'cloud' }],
    workers: ['phone', 'edge', 'cloud'].map((tier) => ({ id: `${tier}-1`, type: 'any', tier, cost_per_hour: 1 })),
  },
  target: { accuracy: 50, rates: {} },
}
const plan = {
  plan: {
    models: { look: 'small', listen: 'fast', answer: 'keyword' },
    workers: { look: ['phone-1'], listen: ['phone-1', 'edge-1'], answer: ['cloud-1'] },
    shares: {},
  },
} as unknown as Plan

test('operators are where their workers are; those with workers of both are named', () => {
  expect(tiersOf(problem)).toEqual(['phone', 'edge', 'cloud'])
  expect(halvesOf(problem, plan, ['phone'])).toEqual({
    device: ['look (small)'],
    cloud: ['answer (keyword)'],
    spanning: ['listen'],
  })
  expect(halvesOf(problem, plan, ['phone', 'edge'])).toEqual({
    device: ['look (small)', 'listen (fast)'],
    cloud: ['answer (keyword)'],
    spanning: [],
  })
})
