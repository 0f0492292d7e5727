import { expect, test } from 'vitest'
import { baseOf, below, installedIn, latest } from './versions'

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

test('compares with what most devices run, or with the version below', () => {
  const names = ['1.2.0', '1.1.0', '1.0.0']
  const installed = {
    versions: [
      { version: '1.1.0', devices: 2 },
      { version: '1.0.0', devices: 30 },
      { version: '', devices: 90 },
    ],
  }
  expect(baseOf('1.2.0', names, installed)).toEqual({ version: '1.0.0', devices: 30 })
  expect(baseOf('1.0.0', names, installed)).toBeUndefined()
  expect(baseOf('1.2.0', names, undefined)).toEqual({ version: '1.1.0', devices: 0 })
})

test('what the devices of one app have is counted apart', () => {
  const installed = {
    versions: [
      { version: '1.1.0', devices: 40, apps: [{ app: 'shop', devices: 40 }] },
      {
        version: '1.0.0',
        devices: 9,
        apps: [
          { app: 'market', devices: 8 },
          { app: 'shop', devices: 1 },
        ],
      },
    ],
  }
  expect(baseOf('1.2.0', ['1.2.0', '1.1.0', '1.0.0'], installedIn('market', installed))).toEqual({
    version: '1.0.0',
    devices: 8,
  })
  expect(installedIn('elsewhere', installed).versions.map(({ devices }) => devices)).toEqual([0, 0])
})
