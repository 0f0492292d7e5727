import { expect, test } from 'vitest'
import type { ReleasePlan } from '@/api/schemas'
import { compared, deferredText, notCounted } from './comparison'
import { someRelease } from './exampleRelease'
import { readFigures, readFindings } from './figures'
import { matrixOf, type Cell } from './matrix'
import { reachOf } from './reach'

test('stages that were counted before do not claim that nothing was offered', () => {
  const { stages } = readFigures({ stages: [{ position: 0, drawn: 5, reported: 4, failed: 1 }] })
  expect(stages.get(0)).toEqual({
    drawn: 5,
    offered: null,
    installed: null,
    healthy: 3,
    failed: 1,
    failedLate: 0,
    ...{ silent: null, awaiting_trigger: null, deferred: null },
  })
})

test('what triggers a stream task, and how many devices wait for it', () => {
  const figures = readFigures({ trigger: ['page_exit', 7], treatment: { awaiting_trigger: 180 } })
  expect([figures.trigger, figures.treatment.awaiting_trigger]).toEqual([['page_exit', ''], 180])
  expect(readFigures({}).trigger).toEqual([])
})

test('why devices put a version off, and how many', () => {
  const figures = readFigures({ deferred: { 'in-call': 7, 'on-battery': 3 }, treatment: { deferred: 10 } })
  expect(deferredText(figures)).toBe(
    '10 devices put the version off for now: 7 in-call, 3 on-battery. They check in, and the verdict does not count them.',
  )
  expect(deferredText(readFigures({ deferred: { metered: 1 }, treatment: { deferred: 1 } }))).toBe(
    '1 device puts the version off for now: 1 metered. It checks in, and the verdict does not count it.',
  )
  expect(deferredText(readFigures({}))).toBeNull()
})

test('arms side by side; of nothing there is no share', () => {
  const rows = compared(readFigures({ treatment: { reported: 12, failed: 3, timed: 12, p50_ms: 12.345 } }), null)
  const found = Object.fromEntries(rows.map(({ name, treatment, control }) => [name, [treatment.now, control.now]]))
  expect(found.Failed).toEqual(['3 of 12 (25 %)', '–'])
  expect(found['Run time, median']).toEqual(['12 ms', '–'])
})

test('cold runs and warm ones stand apart where any run was warm', () => {
  const warm = {
    treatment: { timed: 9, p50_ms: 50, warm_timed: 9, warm_p50_ms: 5 },
    control: { warm_timed: 9, warm_p50_ms: 4 },
  }
  const found = new Map(
    compared(readFigures(warm), null).map(({ name, treatment, control }) => [name, [treatment.now, control.now]]),
  )
  expect(found.get('Cold run time, median')).toEqual(['50 ms', '–'])
  expect(found.get('Warm run time, median')).toEqual(['5 ms', '4 ms'])
  expect(found.has('Run time, median')).toBe(false)
})

test('devices that verdicts do not count are told in whole sentences', () => {
  const textOf = (value: object) => notCounted(readFigures({ new: value }).newDevices)
  expect(textOf({ drawn: 1 })).toBe(
    '1 of these devices is new, and nobody vouches for it: none has reported. Verdicts do not count it.',
  )
  expect(textOf({ drawn: 60, reported: 59, failed: 58 })).toBe(
    '60 of these devices are new, and nobody vouches for them: 59 reported, 58 failed. Verdicts do not count them.',
  )
})

test('what is no finding is none', () => {
  expect(readFindings({})).toEqual([])
  expect(readFindings({ findings: [{ test: 'limit', objects: true, sentence: 's' }] })).toEqual([
    { test: 'limit', objects: true, leans: false, logEvidence: 0, threshold: 0, sentence: 's', doubt: '' },
  ])
})

test('cells by app version and system', () => {
  const cell = (app_version: string, os: string, os_version: string) => ({ app_version, os, os_version }) as Cell
  const cells = [cell('1.0.0', 'android', '12'), cell('1.0.0', 'ios', '17'), cell('2.0.0', 'ios', '17'), cell('3.0.0', '', '')]
  const { systems, rows } = matrixOf(cells)
  expect(systems).toEqual(['android 12', 'ios 17', 'not started'])
  expect(rows[1]).toEqual({ appVersion: '2.0.0', cells: [undefined, cells[2], undefined] })
}) // prettier-ignore

test('a widening move reaches its stage, or all', () => {
  const counted = (count: number) => ({ count, exact: true, margin: 0 })
  const stages = [3, 9, 30].map((count, position) => ({ position, reaches: counted(count) }))
  const plan = { matched: counted(33), stages } as unknown as ReleasePlan
  const release = someRelease()
  expect(reachOf(plan, 'promote', release)).toEqual({ devices: counted(30), stage: release.stages[2] })
  expect(reachOf(plan, 'resume', release)?.devices.count).toBe(9)
  expect(reachOf(plan, 'start', { ...release, position: null })).toEqual({ devices: counted(33), stage: null })
  expect(reachOf(undefined, 'start', release)).toBeNull()
})
