import { expect, test } from 'vitest'
import { curvePoints } from './curve'

test('a curve fills its box, from its lowest value or from zero', () => {
  expect(curvePoints([5, 10, 7.5], 100, 20)).toBe('0,20 50,0 100,10')
  expect(curvePoints([5, 10], 100, 20, true)).toBe('0,10 100,0')
  expect(curvePoints([3, 3], 100, 20)).toBe('0,20 100,20')
  expect(curvePoints([3], 100, 20)).toBe('0,20')
})
