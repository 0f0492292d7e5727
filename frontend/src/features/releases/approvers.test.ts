import { expect, test } from 'vitest'
import { approversAmong, inWords } from './approvers'

test('who may release in the scenario and sees the app may approve, but not who made it', () => {
  const scenario = [
    { user: 'ada', role: 'owner' as const },
    { user: 'eve', role: 'releaser' as const },
    { user: 'eve', role: 'owner' as const },
    { user: 'dan', role: 'developer' as const },
    { user: 'out', role: 'releaser' as const },
    { user: 'bob', role: 'releaser' as const },
  ]
  const app = ['ada', 'bob', 'dan', 'eve'].map((user) => ({ user, role: 'viewer' as const }))
  expect(approversAmong(scenario, app, 'ada')).toEqual(['bob', 'eve'])
})

test('few are named, and site staff always', () => {
  expect(inWords([])).toBe('site staff')
  expect(inWords(['bob'])).toBe('bob or site staff')
  expect(inWords(['a', 'b', 'c'], 2)).toBe('a, b, 1 more or site staff')
})
