import { expect, test } from 'vitest'
import { someRelease } from './exampleRelease'
import { havingWords, isWithdrawn } from './having'

const ONE = { devices: 1, counted_at: null }

test('how many have it now', () => {
  expect(havingWords(someRelease())).toBe('devices of market have 1.1.0 now')
  expect(havingWords(someRelease({ having: ONE }))).toBe('device of market has 1.1.0 now')
})

test('while a version is taken back, its withdrawal says the number, which is there once', () => {
  const withdrawal = { remaining: 1 } as NonNullable<ReturnType<typeof someRelease>['withdrawal']>
  expect(isWithdrawn(someRelease({ having: ONE, withdrawal }))).toBe(true)
  expect(isWithdrawn(someRelease({ withdrawal }))).toBe(false)
  expect(isWithdrawn(someRelease())).toBe(false)
})
