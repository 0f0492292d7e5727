import { expect, test } from 'vitest'
import { SeriesBuffer } from './seriesBuffer'

function framed(series: number, capacity?: number) {
  const frames: (() => void)[] = []
  const buffer = new SeriesBuffer(series, capacity, (callback) => frames.push(callback))
  let notified = 0
  buffer.subscribe(() => notified++)
  return { buffer, draw: () => frames.splice(0).forEach((frame) => frame()), notified: () => notified }
}

test('what comes within a frame is told once', () => {
  const { buffer, draw, notified } = framed(2)
  buffer.push(1, 10, 20)
  buffer.push(2, 11, null)
  draw()
  draw()
  expect(notified()).toBe(1)
  expect(buffer.columns).toEqual([
    [1, 2],
    [10, 11],
    [20, null],
  ])
})

test('a second value of the same time takes the place of the first', () => {
  const { buffer } = framed(1)
  buffer.push(1, 10)
  buffer.push(1, 12)
  expect(buffer.columns).toEqual([[1], [12]])
})

test('the oldest go', () => {
  const { buffer } = framed(1, 100)
  for (let at = 0; at < 1000; at++) buffer.push(at, at)
  expect(buffer.length).toBeLessThanOrEqual(125)
  expect(buffer.latest()).toEqual([999])
  expect(buffer.columns[0].length).toBe(buffer.columns[1]?.length)
})

test('replacing leaves the same columns with other points', () => {
  const { buffer, draw, notified } = framed(1)
  const columns = buffer.columns
  buffer.push(1, 1)
  buffer.replace([
    [5, 6],
    [7, null],
  ])
  draw()
  expect([buffer.columns === columns, buffer.columns, notified()]).toEqual([
    true,
    [
      [5, 6],
      [7, null],
    ],
    1,
  ])
})
