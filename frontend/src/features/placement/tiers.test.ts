import { describe, expect, it } from 'vitest'
import type { Plan, Problem } from './answer'
import { drawingOf } from './tiers'

const problem: Problem = {
  workflow: {
    sources: ['camera'],
    sink: 'answer',
    operators: [
      { name: 'describe', models: [{ name: 'small' }] },
      { name: 'answer', inputs: ['describe'], models: [{ name: 'default' }] },
    ],
    edges: [
      { source: 'camera', target: 'describe' },
      { source: 'describe', target: 'answer' },
    ],
  },
  infrastructure: {
    tiers: [{ name: 'edge' }, { name: 'cloud' }],
    workers: [
      { id: 'box', type: 'box', tier: 'edge', cost_per_hour: 1 },
      { id: 'gpu', type: 'gpu', tier: 'cloud', cost_per_hour: 1 },
      { id: 'gpu-2', type: 'gpu', tier: 'cloud', cost_per_hour: 1 },
    ],
  },
  target: { accuracy: 50, rates: { camera: 1 } },
}
const plan: Plan = {
  plan: {
    models: { describe: 'small', answer: 'default' },
    workers: { describe: ['box', 'gpu'], answer: ['gpu-2'] },
    shares: {},
  },
  cost: 3,
  compute: 3,
  network: 0,
  accuracy: 50,
  throughput: 1,
  utilisation: { box: 0.5, gpu: 0.9, 'gpu-2': 0.1 },
  violations: [],
}

describe('drawingOf', () => {
  it('has a box for each tier that serves an operator, the highest tier on top', () => {
    const { lanes, columns, boxes, flows } = drawingOf(problem, plan)
    expect(lanes).toEqual(['cloud', 'edge'])
    expect(columns).toBe(3)
    expect(boxes.map(({ operator, lane, column, busy }) => [operator, lane, column, busy])).toEqual([
      ['camera', 1, 0, 0],
      ['describe', 1, 1, 0.5],
      ['describe', 0, 1, 0.9],
      ['answer', 0, 2, 0.1],
    ])
    expect(flows.map(({ from, to }) => `${from} > ${to}`)).toEqual([
      'camera > describe 1',
      'camera > describe 0',
      'describe 1 > answer 0',
      'describe 0 > answer 0',
    ])
  })
})
