import { expect, test } from 'vitest'
import { createToastStore } from './toastStore'

const texts = (store: ReturnType<typeof createToastStore>) => store.all().map(({ text }) => text)

test('what was done last with a thing takes the place of what was done with it before', () => {
  const store = createToastStore()
  store.show({ text: 'paused', tone: 'ok', lasts: 10, about: 'release 7' })
  store.show({ text: 'saved', tone: 'ok', lasts: 10 })
  store.show({ text: 'rolled back', tone: 'ok', lasts: 10, about: 'release 7' })
  expect(texts(store)).toEqual(['saved', 'rolled back'])
})

test('the oldest gives way', () => {
  const store = createToastStore()
  for (const text of ['1', '2', '3', '4', '5']) store.show({ text, tone: 'ok', lasts: 10 })
  expect(texts(store)).toEqual(['2', '3', '4', '5'])
})
