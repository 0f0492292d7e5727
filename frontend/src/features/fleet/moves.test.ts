import { expect, test } from 'vitest'
import type { ReleaseEvent } from '@/live/messages'
import { lineOf, movesAmong, moveOfEvent, mergeMoves, type MoveMade } from './moves'

const move = (id: number, app = 'shop'): MoveMade => ({
  id,
  at: '2026-03-01T12:00:00Z',
  app,
  task: 'camera/digits',
  version: '1.1.0',
  move: 'pause',
})
const entry = (id: number, object_id: string, action: string) => ({
  id,
  object_id,
  action,
  at: '2026-03-01T12:00:00Z',
  actor: 'rita',
  before: null,
  after: null,
  object_name: '',
  object_type: 'tasks_app.release',
  request_id: '',
  scope: '',
  token: '',
})

test('of the audit log, only moves of known releases are drawn', () => {
  const releases = [{ id: 7, app: 'shop', task: 'camera/digits', version: '1.1.0' }]
  const entries = [entry(1, '7', 'release.pause'), entry(2, '7', 'release.simulate'), entry(3, '8', 'release.start')]
  expect(movesAmong(entries, releases)).toEqual([move(1)])
})

test('what is told live is a move, or of no interest', () => {
  const event: ReleaseEvent = {
    ...move(5),
    action: 'release.pause',
    actor: 'rita',
    release: 7,
    before: null,
    after: null,
  }
  expect(moveOfEvent(event)).toEqual(move(5))
  expect(moveOfEvent({ ...event, action: 'release.create' })).toBeNull()
})

test('what was read and told is drawn once, in order, of the app that is looked at', () => {
  const all = mergeMoves([move(3), move(1)], [move(3), move(4, 'other')], undefined)
  expect(all.map(({ id }) => id)).toEqual([1, 3, 4])
  expect(mergeMoves([move(1)], [move(4, 'other')], 'other').map(({ id }) => id)).toEqual([4])
})

test('a line says which version did what', () => {
  expect(lineOf(move(1))).toEqual({ at: 1772366400, label: 'digits 1.1.0 paused', tone: 'attention' })
})
