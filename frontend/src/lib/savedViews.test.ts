import { expect, test } from 'vitest'
import { keepViews, savedViews, withView } from './savedViews'

function memory(): Storage {
  const kept = new Map<string, string>()
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  } as unknown as Storage
}

test('views belong to one person and one table', () => {
  const storage = memory()
  keepViews('devices', 'ada', [{ name: 'Old phones', query: '?os=android' }], storage)
  expect(savedViews('devices', 'ada', storage)).toEqual([{ name: 'Old phones', query: '?os=android' }])
  expect(savedViews('devices', 'bob', storage)).toEqual([])
  expect(savedViews('releases', 'ada', storage)).toEqual([])
})

test('a view takes the place of one of the same name, and they are in order', () => {
  const before = [{ name: 'b', query: '?q=1' }]
  const views = withView(withView(before, { name: 'a', query: '' }) ?? [], { name: 'b', query: '?q=2' })
  expect(views).toEqual([
    { name: 'a', query: '' },
    { name: 'b', query: '?q=2' },
  ])
})

test('there are at most twenty', () => {
  const many = Array.from({ length: 20 }, (_, at) => ({ name: `view ${at}`, query: '' }))
  expect(withView(many, { name: 'one more', query: '' })).toBeNull()
  expect(withView(many, { name: 'view 3', query: '?q=x' })).toHaveLength(20)
})

test('what is kept may be anything', () => {
  const storage = memory()
  storage.setItem('walle-views tasks ada', '[1, {"name": "x"}]')
  expect(savedViews('tasks', 'ada', storage)).toEqual([])
})

test('a browser that stores nothing is told of', () => {
  const storage = memory()
  storage.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  expect(keepViews('tasks', 'ada', [], storage)).toBe(false)
})
