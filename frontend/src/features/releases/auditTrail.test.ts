import { expect, test } from 'vitest'
import type { AuditEntry } from '@/api/schemas'
import type { ReleaseEvent } from '@/live/messages'
import { entrySentence, mergeEntries } from './auditTrail'
import { someRelease } from './exampleRelease'

const live = (id: number) => ({ id, action: 'release.pause' }) as ReleaseEvent
const read = (id: number) => ({ id, action: 'release.pause' }) as AuditEntry

test('what was read and told is there once, the newest first', () => {
  expect(mergeEntries([read(3), read(1)], [live(3), live(4)]).map(({ id }) => id)).toEqual([4, 3, 1])
})

const said = (action: string, after: object, actor = 'ada') =>
  entrySentence(
    { ...live(1), actor, action: `release.${action}`, before: null, after: { ...after } },
    someRelease().stages,
  )

test.each([
  ['create', { rule: {} }, 'ada drafted the release.'],
  ['start', { state: 'simulating', position: null }, 'ada started the release; the simulation began.'],
  ['start', { state: 'running', position: 0 }, 'ada started the release; Beta testers began.'],
  ['pass', { state: 'awaiting-approval', position: null }, 'ada found the simulation passed; the approval began.'],
  ['promote', { state: 'running', position: 1 }, 'ada began Gray 20 %.'],
  ['pause', { state: 'paused', position: 1 }, 'ada paused the release in Gray 20 %.'],
  ['pause', { state: 'paused', position: null }, 'ada paused the release.'],
  ['promote-early', { skipped: [1] }, 'ada left Gray 20 % before it had passed.'],
  ['complete-early', { skipped: [1, 2] }, 'ada completed the release before Gray 20 % and Gray 100 % had passed.'],
  ['withdrawn', { devices: 32, seconds: 75 }, 'ada found that none of 32 devices has the version any more, 1 min 15 s after the rollback.'],
  ['still-installed', { devices: 32, remaining: 3, offline: 2 }, 'ada found that 3 of 32 devices still have the version, 2 of them offline.'],
  ['failing-after-complete', { rolls_back: true }, 'ada found that the release exceeds its limit after completion, and rolls it back.'],
  ['something-new', {}, 'ada: something new.'],
])('%s %j is a sentence', (action, after, sentence) => {
  expect(said(action, after)).toBe(sentence)
}) // prettier-ignore

test('what nobody did, Walle did', () => {
  expect(said('roll-back', { state: 'rolled-back', position: 1 }, 'system')).toBe('Walle rolled the release back in Gray 20 %.')
}) // prettier-ignore
