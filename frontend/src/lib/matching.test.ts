import { expect, test } from 'vitest'
import { fit, fitting } from './matching'

test.each([
  ['', 'anything', 0],
  ['cam', 'camera/digits', 0],
  ['dig', 'camera/digits', 1],
  ['igi', 'camera/digits', 2],
  ['DIG cam', 'camera/digits', 1],
  ['digs', 'camera/digits', null],
])('%s fits %s by %s', (typed, text, score) => {
  expect(fit(typed, text)).toBe(score)
})

test('the best come first, equals in their order', () => {
  expect(fitting('re', ['more', 'releases', 'new release', 'fleet', 'retire'], String)).toEqual([
    'releases',
    'retire',
    'new release',
    'more',
  ])
})
