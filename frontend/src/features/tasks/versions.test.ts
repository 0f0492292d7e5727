import { expect, test } from 'vitest'
import type { Release } from '@/api/schemas'
import { below, latest, mayBeQuarantined, nextVersion, releasesByVersion } from './versions'

function release(id: number, version: string, state: Release['state']): Release {
  return {
    id,
    version,
    state,
    task: 'camera/digits',
    app: 'shop',
    rule: {},
    position: null,
    created_at: '',
    created_by: '',
  }
}

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

test('releases are gathered by version, and only rollbacks make quarantine possible', () => {
  const releases = [release(3, '1.1.0', 'running'), release(2, '1.2.0', 'rolled-back'), release(1, '1.1.0', 'rejected')]
  expect(
    releasesByVersion(releases)
      .get('1.1.0')
      ?.map(({ id }) => id),
  ).toEqual([3, 1])
  expect(mayBeQuarantined(releases)).toEqual(['1.2.0'])
})
