import { expect, test } from 'vitest'
import { remainingColumns, stillOnIt, untilNone, type Withdrawal } from './withdrawal'

const AT = Date.parse('2026-05-01T10:00:00Z')

function some(changes: Partial<Withdrawal> = {}): Withdrawal {
  return {
    began_at: '2026-05-01T10:00:00Z',
    told_by: '2026-05-01T10:01:08Z',
    devices: 32,
    remaining: 12,
    offline: 0,
    counted_at: '2026-05-01T10:00:30Z',
    ended_at: null,
    curve: [
      [AT / 1000, 32],
      [AT / 1000 + 20, 12],
    ],
    ...changes,
  }
}

test('while devices hear of it, the time until none is counted down', () => {
  expect(stillOnIt(some())).toBe('12 of 32')
  expect(untilNone(some(), AT + 27_500)).toBe('In 41 s at the latest, no device that can be reached has it any more.')
})

test('afterwards those that are away are told apart from those that keep it', () => {
  const later = AT + 100_000
  expect(untilNone(some({ remaining: 1, offline: 1 }), later)).toBe(
    '1 device is offline: they give it up at their next check-in.',
  )
  expect(untilNone(some({ remaining: 3, offline: 1 }), later)).toBe(
    '2 devices have checked in since, and keep it: see what they report. 1 device is offline: they give it up at their next check-in.',
  )
})

test('the end says how long it took, or that it was called off', () => {
  const ended = { ended_at: '2026-05-01T10:02:00Z' }
  const curve = [...some().curve, [AT / 1000 + 62, 0]]
  expect(untilNone(some({ ...ended, remaining: 0, curve }), AT + 200_000)).toBe(
    'No device has it any more, 1 min 2 s after the rollback.',
  )
  expect(untilNone(some(ended), AT)).toBe('The version may be released again, so it is no longer withdrawn.')
})

test('the last count holds until now', () => {
  expect(remainingColumns(some())).toEqual([
    [AT / 1000, AT / 1000 + 20, AT / 1000 + 30],
    [32, 12, 12],
  ])
})
