import { expect, test } from 'vitest'
import { counted, countedDevices } from './counted'

test('an estimate is said to be one, with its margin', () => {
  expect(counted({ count: 1204, exact: true, margin: 0 })).toBe('1,204')
  expect(counted({ count: 83000, exact: false, margin: 2100 })).toBe('about 83,000 ± 2,100')
  expect(counted({ count: 0, exact: false, margin: 47 })).toBe('at most about 47')
})

test('a number of devices, with the word', () => {
  expect(countedDevices({ count: 1, exact: true, margin: 0 })).toBe('1 device')
  expect(countedDevices({ count: 1, exact: false, margin: 2 })).toBe('about 1 ± 2 devices')
})
