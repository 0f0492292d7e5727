import { expect, test } from 'vitest'
import { recent, recentOf, remember } from './recent'

function memory(text?: string): Storage {
  const kept = new Map(text === undefined ? [] : [['walle-recent ', text]])
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  } as unknown as Storage
}

test('the newest is first, nothing is there twice, and the oldest goes', () => {
  const storage = memory()
  for (const number of [1, 2, 3, 1, 4, 5, 6, 7, 8, 9]) remember({ path: `/${number}`, title: `${number}` }, storage)
  expect(recent(storage).map(({ path }) => path)).toEqual(['/9', '/8', '/7', '/6', '/5', '/4', '/1', '/3'])
})

test('what one person looked at is nothing to another', () => {
  const storage = memory()
  recentOf('ada')
  remember({ path: '/tasks/secret/plan', title: 'secret/plan' }, storage)
  recentOf('bob')
  expect(recent(storage)).toEqual([])
  recentOf('ada')
  expect(recent(storage).length).toBe(1)
  recentOf('')
})

test.each(['', 'nonsense', '{}', '[1, {"path": "https://evil.example", "title": "x"}]'])('%s is nothing', (text) => {
  expect(recent(memory(text))).toEqual([])
})

test('where the browser keeps nothing, pages open all the same', () => {
  const storage = memory()
  storage.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  expect(() => remember({ path: '/', title: 'Fleet' }, storage)).not.toThrow()
})
