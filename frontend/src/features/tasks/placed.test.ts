import { expect, test } from 'vitest'
import { placedIn } from './placed'

const operators = {
  features: { half: 'device', model: 'large', tiers: ['edge'] },
  answer: { half: 'cloud', model: 'sentence', tiers: ['cloud'] },
}
const promises = { cost: 0.576, compute: 0.5, network: 0.076, accuracy: 91.5, throughput: null }

test('what of a workflow runs where, and what its plan promises', () => {
  expect(placedIn({ placement: { operators, promises, placement: 12, workflow: 'questions' } })).toEqual({
    device: ['features (large)'],
    cloud: ['answer (sentence)'],
    promises: ['$0.576 per hour', 'accuracy 91.50'],
    placement: 12,
    workflow: 'questions',
  })
})

test('a plan that was applied from files is of no placement', () => {
  expect(placedIn({ placement: { operators, promises } })).toMatchObject({ placement: null, workflow: null })
})

test('other tasks have no halves', () => {
  expect(placedIn({ entry_point: 'main:run' })).toBeNull()
})
