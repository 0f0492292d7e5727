import { expect, test } from 'vitest'
import { emphasis } from './emphasis'

test.each([
  ['time_ms = 2000', 'time_ms = 1500', ['20', '15']],
  ['return mean', 'return mean + 1', ['', ' + 1']],
  ['aaa', 'aaaa', ['', 'a']],
  ['label = "😀"', 'label = "😁"', ['😀', '😁']],
  ['label = "🀀"', 'label = "🐀"', ['🀀', '🐀']],
])('%s to %s', (old, now, differing) => {
  const found = emphasis(old, now)
  expect(found && [old.slice(found.start, found.oldEnd), now.slice(found.start, found.newEnd)]).toEqual(differing)
})

test.each([
  ['import numpy', 'x = 1'],
  ['the same', 'the same'],
  ['', 'new'],
])('nothing is emphasised in %j and %j', (old, now) => {
  expect(emphasis(old, now)).toBeNull()
})
