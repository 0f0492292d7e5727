import { expect, test } from 'vitest'
import type { AuditEntry } from '@/api/schemas'
import type { ReleaseEvent } from '@/live/messages'
import { actionName, changeOf, mergeEntries } from './auditTrail'

const live = (id: number) => ({ id, action: 'release.pause' }) as ReleaseEvent
const read = (id: number) => ({ id, action: 'release.pause' }) as AuditEntry

test('what was read and told is there once, the newest first', () => {
  expect(mergeEntries([read(3), read(1)], [live(3), live(4)]).map(({ id }) => id)).toEqual([4, 3, 1])
})

test('moves in words', () => {
  expect(actionName('release.roll-back')).toBe('Roll back')
  const entry = { ...live(1), before: { state: 'running', position: 0 }, after: { state: 'running', position: 1, reason: 'x' } }
  expect(changeOf(entry)).toBe('stage 1 → 2')
  expect(changeOf({ ...entry, before: null, after: { state: 'draft', position: null } })).toBe('draft')
  expect(changeOf({ ...entry, after: { skipped: [0, 1], reason: 'x' } })).toBe('skipped stage 1, 2')
}) // prettier-ignore
