import { expect, test } from 'vitest'
import { directionOf, nextOrder } from './order'

test('pressing a head again and again leads from ascending and descending back to the usual order', () => {
  const pressed = [undefined, 'name', '-name'].map((order) => nextOrder('name', order))
  expect(pressed).toEqual(['name', '-name', undefined])
  expect(nextOrder('name', '-state')).toBe('name')
})

test('only the column of the order has a direction', () => {
  expect(['name', '-name', 'state', undefined].map((order) => directionOf('name', order))).toEqual([
    'ascending',
    'descending',
    'none',
    'none',
  ])
})
