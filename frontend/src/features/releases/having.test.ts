import { expect, test } from 'vitest'
import { someRelease } from './exampleRelease'
import { havingWords } from './having'

test('how many have it now, and of how many while it is taken back', () => {
  expect(havingWords(someRelease())).toBe('devices of market have 1.1.0 now')
  const having = { devices: 1, counted_at: null }
  expect(havingWords(someRelease({ having }))).toBe('device of market has 1.1.0 now')
  const withdrawal = { devices: 32 } as NonNullable<ReturnType<typeof someRelease>['withdrawal']>
  expect(havingWords(someRelease({ having, withdrawal }))).toBe('of 32 devices of market has 1.1.0 now')
})
