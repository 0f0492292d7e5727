import { expect, test } from 'vitest'
import type { ChartEvent } from './chartMarks'
import { groupEvents } from './eventGroups'
import type { Tone } from './tone'

const event = (at: number, tone: Tone = 'ok'): ChartEvent => ({ at, label: `at ${at}`, tone })
const grouped = (events: ChartEvent[], range: [number, number]) =>
  groupEvents(events, range, 0.02).map(({ at, tone, events: some }) => [at, tone, some.length])

test('events that would touch are one group, which begins with its first and has the most urgent tone', () => {
  const events = [event(150, 'bad'), event(110), event(111, 'running'), event(112.1), event(190, 'none')]
  expect(grouped(events, [100, 200])).toEqual([
    [0.1, 'running', 2],
    [expect.closeTo(0.121, 9), 'ok', 1],
    [0.5, 'bad', 1],
    [0.9, 'none', 1],
  ])
})

test('what is outside of the range is left out, and its ends belong to it', () => {
  expect(grouped([event(99), event(100), event(200), event(201)], [100, 200])).toEqual([
    [0, 'ok', 1],
    [1, 'ok', 1],
  ])
})

test('a range without a length has its events at its beginning', () => {
  expect(grouped([event(5), event(5)], [5, 5])).toEqual([[0, 'ok', 2]])
})
