import { expect, test } from 'vitest'
import { edgesOf, readPlan, rulesByStep, sharersOf, type Sharing } from './explanation'

const step = (id: string, some: object = {}) => ({
  id,
  operator: 'tfidf',
  words: 'weights counts',
  flow: '1-to-1',
  bound: 'memory',
  breaks: false,
  inputs: ['column:text'],
  settings: {},
  type: 'Vector(9)',
  sparse: true,
  vectorizable: false,
  parameters: { idf: { bytes: 72 }, table: { bytes: 8 } },
  ...some,
})
const told = {
  imported: [{}, {}, {}],
  logical: {
    columns: [{ name: 'text', type: 'text' }],
    stages: [
      { id: 's1', inputs: ['column:text', 'column:title'], outputs: ['a', 'b'], transformations: [step('a')] },
      { id: 's2', inputs: ['a', 'b'], outputs: ['label'], transformations: [step('label', { parameters: {} })] },
    ],
    outputs: { label: 'label', probabilities: 'label' },
    rules: [
      { step: 'stages', rule: 'inline', before: ['x'], after: ['y'] },
      { step: 'output', rule: 'schema', before: [], after: [] },
      { step: 'stages', rule: 'fuse', before: ['y'], after: ['z'] },
    ],
  },
  physical: {
    frame: { bytes: 4096 },
    parameters: { arrays: 2, bytes: 80 },
    stages: [
      { id: 'p1', logical: 's1', kernels: ['ngrams', 'dot'], identity: 'same', materialized: true },
      { id: 'p2', logical: 's2', kernels: ['argmax'], identity: 'own', materialized: false },
    ],
  },
}

test('plan stages with what executes them', () => {
  const plan = readPlan(told)
  expect(plan).toMatchObject({ imported: 3, frameBytes: 4096, parameters: { arrays: 2, bytes: 80 } })
  expect(plan.stages[0]?.parts).toEqual([
    { id: 'p1', kernels: ['ngrams', 'dot'], identity: 'same', isMaterialized: true },
  ])
  expect(plan.stages[0]?.transformations[0]).toMatchObject({ bytes: 80, labels: ['1-to-1', 'memory-bound', 'sparse'] })
})

test('the graph leads from the columns to the outputs, each edge once', () => {
  expect(edgesOf(readPlan(told))).toEqual([
    { from: 'columns', to: 's1' },
    { from: 's1', to: 's2' },
    { from: 's2', to: 'outputs' },
  ])
})

test('who shares physical stages', () => {
  const sharing = (task: string, stages: string[]): Sharing => ({
    task,
    version: '1.0.0',
    stages,
    parameters: 1,
    bytes: 8,
  })
  const shared = [sharing('shop/mood', ['same']), sharing('shop/tone', ['other']), sharing('shop/size', [])]
  const [first, second] = readPlan(told).stages
  expect(first && sharersOf(first.parts, shared).map(({ task }) => task)).toEqual(['shop/mood'])
  expect(second && sharersOf(second.parts, shared)).toEqual([])
})

test('rules by the steps of the oven, in their order', () => {
  const steps = rulesByStep(readPlan(told).rules)
  expect(steps.map(({ step: name, rules }) => [name, rules.map(({ rule }) => rule)])).toEqual([
    ['stages', ['inline', 'fuse']],
    ['output', ['schema']],
  ])
})

test('an explanation without anything is an empty plan', () => {
  expect(readPlan({})).toMatchObject({ stages: [], rules: [], imported: 0 })
  expect(edgesOf(readPlan({}))).toEqual([])
})
