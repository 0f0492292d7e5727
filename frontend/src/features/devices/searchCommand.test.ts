import { expect, test } from 'vitest'
import { commandFor } from './searchCommand'

test('the command asks for the same', () => {
  expect(commandFor({})).toBe('walle device list')
  expect(
    commandFor({ app: 'shop', os: 'ios', task: 'camera/digits', revoked: 'false', where: ['model=Pixel 8', 'a=b'] }),
  ).toBe("walle device list --app shop --os ios --task camera/digits --fact 'model=Pixel 8' --fact a=b --not-revoked")
})

test('what the command line cannot ask has none', () => {
  expect(commandFor({ app: 'shop', q: 'aB' })).toBeUndefined()
  expect(commandFor({ seen_since: '2026-05-01T00:00:00Z' })).toBeUndefined()
})

test('what a shell would take apart is quoted', () => {
  expect(commandFor({ app: 'shop', where: ["owner=O'Neil; rm"] })).toBe(
    "walle device list --app shop --fact 'owner=O'\\''Neil; rm'",
  )
})
