import { expect, test } from 'vitest'
import type { ReleaseState } from '@/api/schemas'
import type { Move } from '@/lib/releaseMoves'
import { rightsOf } from '@/lib/rights'
import { someMove, someRelease } from './exampleRelease'
import { asksWhy, expected, newer, obstacle, possibleMoves, wayBack } from './moves'

test.each([
  [{ state: 'draft', position: null }, ['start', 'abort']],
  [{ state: 'simulating', position: null }, ['pause', 'reject', 'abort']],
  [{ state: 'awaiting-approval', position: null }, ['approve', 'pause', 'reject', 'abort']],
  [{ state: 'running', position: 0 }, ['promote', 'complete', 'pause', 'abort', 'roll-back']],
  [{ state: 'running', position: 2 }, ['complete', 'pause', 'abort', 'roll-back']],
  [{ state: 'paused', position: 1 }, ['resume', 'abort', 'roll-back']],
  [{ state: 'complete', position: 2 }, ['roll-back']],
  [{ state: 'rolled-back', position: 2 }, []],
] as const)('moves of %o', (standing, moves) => {
  expect(possibleMoves(someRelease(standing))).toEqual(moves)
})

const me = (username: string, staff: boolean, ...scopes: { scope: string; permissions: string[] }[]) =>
  rightsOf({ username, staff, token: null, scopes: scopes.map((held) => ({ ...held, roles: [], owners: [] })) })

test('what rests is undone with a reason, what is under way without', () => {
  const asks = (move: Move, state: ReleaseState) => asksWhy(move, { state })
  expect((['complete', 'aborted', 'superseded'] as const).map((state) => asks('roll-back', state))).toEqual([
    true,
    true,
    true,
  ])
  expect((['simulating', 'running', 'paused'] as const).map((state) => asks('roll-back', state))).toEqual([
    false,
    false,
    false,
  ])
  expect([asks('resume', 'paused'), asks('pause', 'running'), asks('abort', 'running')]).toEqual([true, false, false])
})

test('only a pause is undone; what has ended is released again', () => {
  expect(wayBack('pause', { state: 'running' })).toBe('Undo')
  expect(wayBack('roll-back', { state: 'complete' })).toBe('Release again')
  expect(wayBack('abort', { state: 'draft' })).toBe('Draft again')
})

test('to halt takes less than to release', () => {
  const developer = me('bob', false, { scope: 'app:market', permissions: ['view', 'halt releases'] })
  expect(obstacle(developer, 'pause', someRelease())).toBeNull()
  expect(obstacle(developer, 'promote', someRelease())).toContain('scenario camera')
  const releaser = me('bob', false, { scope: 'scenario:camera', permissions: ['release', 'halt releases'] })
  expect(obstacle(releaser, 'promote', someRelease())).toContain('app market')
})

test('nobody approves what they made, not even site staff; they may reject it', () => {
  const waiting = someRelease({ state: 'awaiting-approval', position: null, created_by: 'ada' })
  expect(obstacle(me('ada', true), 'approve', waiting)).toContain('somebody else')
  expect(obstacle(me('ada', true), 'reject', waiting)).toBeNull()
  expect(obstacle(me('bob', true), 'approve', waiting)).toBeNull()
})

test('without the leave of the app nobody widens a release, and everybody who could halt it still can', () => {
  const barred = someRelease({ allowed: { deliver: false, complete_early: false } })
  expect(obstacle(me('root', true), 'complete', barred)).toContain('camera may not deliver to market')
  expect(obstacle(me('root', true), 'resume', someRelease({ ...barred, state: 'paused' }))).toContain(
    'An owner of app market',
  )
  expect(obstacle(me('root', true), 'roll-back', barred)).toBeNull()
})

test('to skip what a stage waits for is a right apart', () => {
  const careful = someRelease({ allowed: { deliver: true, complete_early: false } })
  for (const move of ['promote', 'complete'] as const) {
    expect(obstacle(me('root', true), move, careful)).toContain('may not complete releases to market early')
    expect(obstacle(me('root', true), move, someRelease())).toBeNull()
  }
  expect(obstacle(me('root', true), 'start', careful)).toBeNull()
})

test('a move is shown as the server will have it', () => {
  expect(expected(someRelease(), 'pause').state).toBe('paused')
  expect(expected(someRelease(), 'promote').position).toBe(2)
  const back = expected(someRelease({ state: 'complete' }), 'roll-back', 'too slow')
  expect(back.transitions.at(-1)).toMatchObject({ before: 'complete', after: 'rolled-back', reason: 'too slow' })
  expect(expected(someRelease({ state: 'draft' }), 'start').state).toBe('draft')
})

test('the newer reading is shown, the live one where they are of the same age', () => {
  const live = someRelease()
  const read = someRelease({ transitions: [...live.transitions, someMove('running', 'paused')] })
  expect(newer(live, read)).toBe(read)
  expect(newer(live, someRelease())).toBe(live)
  expect(newer(undefined, read)).toBe(read)
})
