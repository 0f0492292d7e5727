import { expect, test } from 'vitest'
import { declared } from './contract'

const MANIFEST = {
  entry_point: 'main:run',
  inputs: { image: { type: 'tensor', dtype: 'float32', shape: [-1, 8] }, user: { type: 'text' } },
  outputs: { label: { type: 'integer', min: 0, max: 9 }, mean: { type: 'number', min: 0 } },
  metrics: { margin: { unit: 'brightness' }, bare: {} },
  trigger: { every_s: 30 },
  limits: { time_ms: 2000, memory_mb: 256, output_kb: 4, failure_rate: 0.02 },
  requires: { app: '>=1.0.0', modules: ['numpy'], os: { android: '>=10' } },
}

test('a manifest in words', () => {
  expect(Object.fromEntries(declared(MANIFEST).map(({ label, values }) => [label, values]))).toEqual({
    'Entry point': ['main:run'],
    Runs: ['every 30 s'],
    Inputs: ['image: tensor float32 [any, 8]', 'user: text'],
    Outputs: ['label: integer 0 to 9', 'mean: number from 0'],
    Metrics: ['margin (brightness)', 'bare'],
    Limits: ['2000 ms per run', '256 MiB of memory', '4 KiB of output', 'may fail on 2 % of devices'],
    Requires: ['app >=1.0.0', 'android >=10', 'module numpy'],
  })
})

test('a task that events start, and what is not declared', () => {
  expect(declared({ entry_point: 'main:run', trigger: { on: ['page_exit', 'login'] } })).toEqual([
    { label: 'Entry point', values: ['main:run'] },
    { label: 'Runs', values: ['on page_exit, then login'] },
    { label: 'Sees', values: ['the events of the page visit'] },
  ])
})

test('how far apart the ids of a condition may be, and which events a stream task sees', () => {
  const told = (within: unknown, window: unknown, sees = false) =>
    declared({ trigger: { on: ['a', 'b'], within }, stream: { window, private: sees } }).map(({ values }) => values)
  expect(told({ events: 20 }, 'page')).toEqual([['on a, then b within 20 events'], ['the events of the page visit']])
  expect(told({ seconds: 60 }, { events: 5 })).toEqual([['on a, then b within 60 s'], ['the last 5 events']])
  expect(told('next', { seconds: 9 }, true)).toEqual([
    ['on a, then b'],
    ['the events of the last 9 s', 'private contents: nothing of its output leaves the device'],
  ])
})

test('a kept task of the background', () => {
  const kept = { trigger: { every_s: 60, background: true }, vm: { keep: true, idle_s: 600, held_mb: 64 } }
  expect(declared(kept)).toEqual([
    { label: 'Runs', values: ['every 60 s, in the background'] },
    { label: 'VM', values: ['kept for 600 s without a run', 'holds 64 MiB between runs'] },
  ])
})
