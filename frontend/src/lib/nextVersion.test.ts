import { expect, test } from 'vitest'
import { nextVersion } from './nextVersion'

test.each([
  ['1.3.0', '1.4.0'],
  ['2.9.1-rc.1', '2.10.0'],
  [undefined, '1.0.0'],
])('after %s comes %s', (version, next) => {
  expect(nextVersion(version)).toBe(next)
})
