import { expect, test } from 'vitest'
import { below, latest, nextVersion } from './versions'

test('the latest version is the highest that is no pre-release', () => {
  expect(latest(['2.0.0-rc.1', '1.1.0+build-5', '1.0.0'])).toBe('1.1.0+build-5')
  expect(latest(['2.0.0-rc.1'])).toBe('2.0.0-rc.1')
  expect(latest([])).toBeUndefined()
})

test('below a version is the next lower one', () => {
  const versions = ['1.1.0', '1.0.0']
  expect([below('1.1.0', versions), below('1.0.0', versions), below('9.9.9', versions)]).toEqual([
    '1.0.0',
    undefined,
    undefined,
  ])
})

test.each([
  ['1.3.0', '1.4.0'],
  ['2.9.1-rc.1', '2.10.0'],
  [undefined, '1.0.0'],
])('after %s comes %s', (version, next) => {
  expect(nextVersion(version)).toBe(next)
})
