import { expect, test } from 'vitest'
import { lookingOf, MOST_PARTS, ROWS } from './searchProgress'

const page = (rows: number, next: string | null = 'x') => ({ results: Array.from({ length: rows }, () => null), next })
const full = page(ROWS)
const short = page(3)
const empty = page(0)

test('full pages look through nothing', () => {
  expect(lookingOf([], 0)).toEqual({ parts: 0, paused: false })
  expect(lookingOf([full, full], 0)).toEqual({ parts: 0, paused: false })
})

test('short and empty pages at the end are counted', () => {
  expect(lookingOf([short, full, empty, short], 0)).toEqual({ parts: 2, paused: false })
})

test('after a while somebody is asked, and then it goes on as far again', () => {
  const many = Array.from({ length: MOST_PARTS }, () => empty)
  expect(lookingOf(many, 0)).toEqual({ parts: MOST_PARTS, paused: true })
  expect(lookingOf(many, MOST_PARTS)).toEqual({ parts: MOST_PARTS, paused: false })
  expect(lookingOf([...many, ...many], MOST_PARTS)).toEqual({ parts: 2 * MOST_PARTS, paused: true })
})

test('at the end nobody is asked', () => {
  const many = Array.from({ length: MOST_PARTS - 1 }, () => empty)
  expect(lookingOf([...many, page(0, null)], 0).paused).toBe(false)
})
