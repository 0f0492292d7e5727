import { expect, test } from 'vitest'
import { rollbackWords, takenAlong, type RollbackPlan } from './rollback'

const PLAN: RollbackPlan = {
  version: '1.1.0',
  is_quarantined: false,
  goes_back_to: [{ release: 3, version: '1.0.0', state: 'complete' }],
  lose_it: false,
  devices: 1204,
  counted_at: null,
  withdrawn: [],
  held: [],
}

test('where devices go, what becomes of the version, and how many have it', () => {
  expect(rollbackWords(PLAN, 'market')).toBe(
    'Devices return to 1.0.0 (release 3), and 1.1.0 goes into quarantine. ' +
      '1,204 devices have it now in market, from this or another release.',
  )
})

test.each([
  [{ goes_back_to: [], lose_it: true }, 'Devices lose the task, and'],
  [{ lose_it: true }, 'Devices return to 1.0.0 (release 3) or lose the task, and'],
  [{ goes_back_to: [{ release: 2, version: '1.1.0', state: 'complete' }] }, 'Devices keep it from release 2, and'],
  [{ is_quarantined: true }, 'and 1.1.0 stays in quarantine.'],
  [{ devices: 1 }, '1 device has it now'],
  [{ devices: 0 }, 'No device has it now'],
  [
    { held: [{ release: 8, version: '1.1.0', state: 'running', app: 'bank' }] },
    'Releases of the same version that are paused as well: release 8 to bank.',
  ],
] as const)('%o', (changes, words) => {
  expect(rollbackWords({ ...PLAN, ...(changes as Partial<RollbackPlan>) }, 'market')).toContain(words)
})

test('what an earlier release has brought is named, where a rollback takes it too', () => {
  expect(takenAlong(PLAN)).toBe('')
  const withdrawn = [{ release: 2, version: '1.1.0', state: 'superseded', app: 'market' }] as const
  expect(takenAlong({ ...PLAN, withdrawn: [...withdrawn] })).toBe(
    '1.1.0 was released before: release 2 to market. Devices lose it from that one as well.',
  )
})
