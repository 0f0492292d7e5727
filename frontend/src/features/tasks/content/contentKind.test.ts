import { expect, it } from 'vitest'
import { beginningOf, kindOf, languageOf, MOST_BYTES, MOST_CHARACTERS, MOST_LINES, textIn } from './contentKind'

it.each([
  ['main.py', 'text'],
  ['assets/Digit.PNG', 'image'],
  ['weights.npy', 'array'],
  ['weights.npz', 'arrays'],
  ['Makefile', 'text'],
])('shows %s as %s', (path, kind) => {
  expect(kindOf(path, 100)).toBe(kind)
  expect(kindOf(path, MOST_BYTES + 1)).toBe('bytes')
})

it('knows languages by the end of the name', () => {
  expect(languageOf('task.toml')).toBe('ini')
  expect(languageOf('py')).toBeUndefined()
})

it('takes for text what is UTF-8 without zeros', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(textIn(bytes('déjà vu'))).toBe('déjà vu')
  expect(textIn(bytes('a\0b'))).toBeNull()
  expect(textIn(new Uint8Array([0xff, 0xfe]))).toBeNull()
})

it('shows the beginning of a long text', () => {
  expect(beginningOf('a\nb\n')).toEqual({ shown: 'a\nb\n', isCut: false })
  expect(beginningOf('\n'.repeat(MOST_LINES))).toEqual({ shown: '\n'.repeat(MOST_LINES - 1), isCut: true })
  expect(beginningOf('x'.repeat(MOST_CHARACTERS + 1)).shown).toHaveLength(MOST_CHARACTERS)
})
