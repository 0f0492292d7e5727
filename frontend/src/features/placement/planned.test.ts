import { describe, expect, it } from 'vitest'
import { cheapestBaseline, savedOf, savedText, type Answer, type FrontierPoint, type Plan } from './answer'
import { chosen, nameOf, placeOf, pointOfTarget, titleOf } from './planned'

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
const baseline = (name: string, best: Plan | null) => ({
  name,
  cost: best?.cost ?? null,
  compute: best?.compute ?? null,
  network: best?.network ?? null,
  accuracy: best?.accuracy ?? null,
  best,
})
const answer: Answer = {
  plans: [plan(1), plan(2)],
  bound: 1,
  gap: 0,
  ended: 'optimal',
  seconds: 1,
  beam_cost: 1,
  baselines: [baseline('best fit', null), baseline('first fit', plan(4)), baseline('all-cloud', plan(5))],
  accuracy_frontier: [point(50, 1), point(60, 1)],
  rate_frontier: [point(50, 0.5), point(50, 1), point(50, 2)],
  infeasible: null,
}

describe('chosen', () => {
  it('finds the plan that an address names', () => {
    expect(chosen(answer, '1')).toMatchObject({ kind: 'plan', index: 1, plan: { cost: 2 } })
    expect(chosen(answer, 'a1')).toMatchObject({ kind: 'accuracy', index: 1, point: { accuracy: 60 } })
    expect(chosen(answer, 'r2')).toMatchObject({ kind: 'rate', index: 2, plan: { cost: 20 } })
    expect(chosen(answer, 'b1')).toMatchObject({ kind: 'baseline', name: 'first fit', plan: { cost: 4 } })
  })

  it.each([undefined, '7', 'a9', 'b0', 'b9', 'nonsense', '-1'])('finds the best plan for %s', (named) => {
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
      ['baseline', 2],
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

describe('what is saved', () => {
  it('is a part of what the cheapest baseline costs that is a plan', () => {
    const byUse = { ...baseline('PTe', null), cost: 0.5 }
    const compared = { ...answer, baselines: [byUse, ...(answer.baselines ?? [])] }
    expect(cheapestBaseline(compared)?.name).toBe('first fit')
    expect(savedOf(compared, baseline('first fit', plan(4)))).toBe(0.75)
    expect([savedOf(compared, byUse), savedText(-1)]).toEqual([-1, 'costs 100 % more'])
    expect(savedOf(compared, baseline('best fit', null))).toBeNull()
    expect(['saves 58 %', 'saves nothing']).toEqual([savedText(0.584), savedText(1e-9)])
  })

  it('is nothing where an older server compared with nothing', () => {
    const { baselines, ...older } = answer
    expect(baselines).toBeDefined()
    expect(cheapestBaseline(older)).toBeNull()
  })
})

describe('a plan that is shown', () => {
  it('is applied from where it stands, unless it is a baseline', () => {
    const shown = (name: string) => chosen(answer, name)
    const told = ['1', 'a0', 'r1', 'b1'].map((name) => {
      const choice = shown(name)
      return choice && [titleOf(choice), placeOf(choice)]
    })
    expect(told).toEqual([
      ['No. 2', { of: 'plans', plan: 2 }],
      ['Accuracy 50', { of: 'accuracy', plan: 1 }],
      ['100 % of the rates', { of: 'rate', plan: 2 }],
      ['Baseline first fit', null],
    ])
  })
})
