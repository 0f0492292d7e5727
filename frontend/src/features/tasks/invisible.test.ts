import { expect, test } from 'vitest'
import { visible } from './invisible'

test('line ends of another system, turned text and gaps of no width can be seen', () => {
  expect(visible('x = 1\r')).toBe('x = 1⟨CR⟩')
  expect(visible('a\u202eb\u200b\ufeff\x07')).toBe('a⟨U+202E⟩b⟨U+200B⟩⟨U+FEFF⟩⟨U+0007⟩')
})

test('what people write stays as it is', () => {
  const text = '\tx = "größe 👩\u200d🔬 任务"'
  expect(visible(text)).toBe(text)
})
