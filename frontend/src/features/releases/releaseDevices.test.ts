import { expect, test } from 'vitest'
import { queryOf, readReleaseDevicesSearch, statusOf, statusTitle, type ReleaseDevice } from './releaseDevices'

test('an address says what the API is asked for', () => {
  expect(queryOf(readReleaseDevicesSearch({}))).toEqual({ arm: 'treatment' })
  const all = { became: 'failed', stage: '2', error: 'ValueError', arm: 'control' }
  expect(queryOf(readReleaseDevicesSearch(all))).toEqual({
    ...{ became: 'failed', stage: 1, error_class: 'ValueError', arm: 'control' },
  })
})

test('devices that wait for the condition of a stream task can be asked for', () => {
  expect(queryOf(readReleaseDevicesSearch({ became: 'awaiting_trigger' }))).toMatchObject({
    became: 'awaiting_trigger',
  })
  expect(statusTitle('awaiting_trigger')).toBe('Awaiting trigger')
})

test('nonsense in an address asks for nothing', () => {
  const nonsense = { became: 'ill', stage: '0', error: '', arm: 'both' }
  expect(queryOf(readReleaseDevicesSearch(nonsense))).toEqual({ arm: 'treatment' })
  expect(readReleaseDevicesSearch({ stage: '1e3' }).stage).toBeUndefined()
})

const NEW = {
  arm: 'treatment',
  outcome: '',
  silent: null,
  offered_at: null,
  installed_at: null,
  deferral: '',
} as ReleaseDevice
const AT = '2026-05-01T12:00:00Z'

test('a device is as far as the last thing known of it', () => {
  const words = [
    NEW,
    { ...NEW, arm: 'control' as const },
    { ...NEW, offered_at: AT },
    { ...NEW, deferral: 'in-call' },
    { ...NEW, offered_at: AT, installed_at: AT },
    { ...NEW, offered_at: AT, silent: true },
    { ...NEW, offered_at: AT, installed_at: AT, silent: true, awaiting_trigger: true },
    { ...NEW, offered_at: AT, installed_at: AT, outcome: 'success' as const },
    { ...NEW, offered_at: AT, outcome: 'failure' as const },
  ].map((device) => statusOf(device).word)
  expect(words).toEqual([
    'Selected',
    'Held back',
    'Offered',
    'Deferred',
    'Installed',
    'Silent',
    'Awaiting trigger',
    'Healthy',
    'Failed',
  ])
})
