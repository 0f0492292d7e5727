import { expect, test } from 'vitest'
import { stateOf } from './deviceState'

test('a device is online for two minutes after it was seen, and never when it is revoked', () => {
  const device = { last_seen: '2026-05-01T12:00:00Z', revoked_at: null }
  const seen = Date.parse(device.last_seen)
  expect(stateOf(device, seen + 120_000)).toBe('online')
  expect(stateOf(device, seen + 120_001)).toBe('away')
  expect(stateOf({ ...device, revoked_at: '2026-05-01T12:00:01Z' }, seen)).toBe('revoked')
})
