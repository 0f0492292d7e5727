import { expect, test } from 'vitest'
import { isCut, opening, READABLE, towardsView, whole } from './viewport'

const FRAME = { width: 1000, height: 400 }
const NODE = { width: 100, height: 40 }

test('all of a graph is in view, in the middle, and never larger than it is', () => {
  const small = { width: 200, height: 100 }
  expect(whole(small, FRAME)).toEqual({ k: 1, x: 400, y: 150 })
  const large = { width: 4000, height: 400 }
  expect(isCut(large, FRAME, whole(large, FRAME))).toBe(false)
  expect(isCut(large, FRAME, { k: 1, x: 0, y: 0 })).toBe(true)
})

test('what could not be read is seen in part at first: around the point, without space beyond the ends', () => {
  const large = { width: 4000, height: 200 }
  const around = (x: number) => opening(large, FRAME, { x, y: 100 })
  expect(around(2000)).toEqual({ k: READABLE, x: 500 - READABLE * 2000, y: (400 - READABLE * 200) / 2 })
  expect(around(0).x).toBe(8)
  expect(around(4000).x).toBe(1000 - READABLE * 4000 - 8)
  expect(opening(large, FRAME, undefined)).toEqual(whole(large, FRAME))
  expect(opening({ width: 900, height: 100 }, FRAME, { x: 0, y: 0 }).k).toBe(1)
})

test('a node out of view asks for as much as it takes, one in view for nothing', () => {
  const view = { k: 1, x: 0, y: 0 }
  expect(towardsView({ x: 500, y: 200 }, NODE, view, FRAME)).toEqual({ x: 0, y: 0 })
  expect(towardsView({ x: -30, y: 500 }, NODE, view, FRAME)).toEqual({ x: 88, y: -128 })
})
