import { describe, expect, it } from 'vitest'
import type { Answer, FrontierPoint, Plan } from './answer'
import { chosen, nameOf, pointOfTarget } from './planned'

const plan = (cost: number): Plan => ({
  plan: { models: {}, workers: {}, shares: {} },
  cost,
  compute: cost,
  network: 0,
  accuracy: 50,
  throughput: 1,
  utilisation: {},
  violations: [],
})
const point = (accuracy: number, factor: number): FrontierPoint => ({
  accuracy,
  factor,
  bound: 1,
  changed: false,
  best: plan(10 * factor),
})
const answer: Answer = {
  plans: [plan(1), plan(2)],
  bound: 1,
  gap: 0,
  ended: 'optimal',
  seconds: 1,
  beam_cost: 1,
  accuracy_frontier: [point(50, 1), point(60, 1)],
  rate_frontier: [point(50, 0.5), point(50, 1), point(50, 2)],
  infeasible: null,
}

describe('chosen', () => {
  it('finds the plan that an address names', () => {
    expect(chosen(answer, '1')).toMatchObject({ kind: 'plan', index: 1, plan: { cost: 2 } })
    expect(chosen(answer, 'a1')).toMatchObject({ kind: 'accuracy', index: 1, point: { accuracy: 60 } })
    expect(chosen(answer, 'r2')).toMatchObject({ kind: 'rate', index: 2, plan: { cost: 20 } })
  })

  it.each([undefined, '7', 'a9', 'nonsense', '-1'])('finds the best plan for %s', (named) => {
    expect(chosen(answer, named)).toMatchObject({ kind: 'plan', index: 0, plan: { cost: 1 } })
  })

  it('finds nothing where there is no plan', () => {
    expect(chosen({ ...answer, plans: [] }, undefined)).toBeNull()
  })

  it('finds what nameOf names', () => {
    for (const [kind, index] of [
      ['plan', 0],
      ['plan', 1],
      ['accuracy', 1],
      ['rate', 0],
    ] as const) {
      expect(chosen(answer, nameOf(kind, index))).toMatchObject({ kind, index })
    }
  })
})

describe('pointOfTarget', () => {
  it('is the first point that reaches the target', () => {
    expect(pointOfTarget(answer.accuracy_frontier, 'accuracy', 55)).toBe(1)
    expect(pointOfTarget(answer.rate_frontier, 'rate', 55)).toBe(1)
    expect(pointOfTarget([], 'rate', 55)).toBe(0)
  })
})
