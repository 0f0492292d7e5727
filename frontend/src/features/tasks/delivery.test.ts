import { expect, test } from 'vitest'
import { inWords } from './delivery'

const to = (app: string, early = false) => ({ app, complete_early: early })

test.each([
  [[], 'may deliver to no app yet'],
  [[to('mall'), to('market', true)], 'may deliver to mall, market (may complete early)'],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((app) => to(app)), 'may deliver to a, b, c, d, e, 2 more'],
])('%o in words', (grants, words) => {
  expect(inWords(grants)).toBe(words)
})
