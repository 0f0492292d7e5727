import { expect, test } from 'vitest'
import { checksOf } from './checks'
import { someRelease } from './exampleRelease'

const LIMITS = { failure_rate: 0.0125, stop_rate: 0.5, stop_after: 8, latency_ms: 250, latency_quantile: 0.9 }
const RELEASE = someRelease({ strategy: { ...someRelease().strategy, limits: LIMITS } })

const finding = (test: string, changes: object = {}) => ({
  test,
  objects: false,
  leans: false,
  log_evidence: -1.2,
  threshold: 4.6,
  sentence: 'said',
  doubt: '',
  ...changes,
})

function check(test: string, changes: object = {}, control: object | null = { reported: 4 }) {
  const counts = { treatment: { reported: 20, failed: 1 }, control }
  const [found] = checksOf(RELEASE, { counts, findings: [finding(test, changes)] })
  if (!found) throw new Error('No check')
  return found
}

test.each([
  ['stop', '50 %, after 8 reports'],
  ['limit', '1.25 %'],
  ['control', 'control and 0.2 percentage points'],
  ['silence', 'control and 1 percentage point'],
  ['latency', '10 % above 250 ms'],
  ['slowdown', 'control and 5 percentage points'],
  ['drift', '10 percentage points either way'],
  ['ratio', 'as planned'],
  ['new-failures', '1.25 %'],
  ['surge', '10 times as many as usual, at least 100'],
  ['cloud', '3 in a row'],
])('%s says what it compares and its limit', (name, limit) => {
  const found = check(name)
  expect(found.limit).toBe(limit)
  expect(found.compares.length).toBeGreaterThan(20)
  expect(check(name, { objects: true }).advice).not.toBe('Nothing to do.')
})

test('without a control group, silence has a limit of its own', () => {
  expect(check('silence', {}, null).limit).toBe('50 %')
})

test('how near: the odds, as a part of those with which a check fails', () => {
  expect(check('limit')).toMatchObject({ state: 'passes', near: 0, nearness: 'nothing against it; fails from 99 to 1' })
  expect(check('limit', { log_evidence: 2.3 })).toMatchObject({ near: 0.5, nearness: '10 to 1 against it; fails from 99 to 1' })
  expect(check('limit', { log_evidence: 5.88, objects: true })).toMatchObject({ state: 'fails', near: 1 })
  expect(check('control', { log_evidence: 40 })).toMatchObject({ near: 0.99, nearness: 'over 1,000,000 to 1 against it; fails from 99 to 1' })
  // 1 of 20 failed: however unlikely that is within the limit, it is a tenth of the half at which it stops at once.
  expect(check('stop', { log_evidence: 40 })).toMatchObject({ near: 0.1, nearness: '1 of 20 (5 %); fails at 50 %' })
  expect(check('surge', { threshold: 0, objects: true })).toMatchObject({ near: 1, nearness: 'reached' })
}) // prettier-ignore

test('what to do depends on what it found', () => {
  expect(check('limit')).toMatchObject({ advice: 'Nothing to do.', devices: null })
  // One failure is within 1.25 % from 54 reports on: 20 are there.
  expect(check('limit', { leans: true })).toMatchObject({
    state: 'suspicious',
    advice: 'Wait for 34 reports without a failure, or look at what failed.',
    devices: 'failed',
  })
  expect(check('control', { leans: true }).advice).toBe('Wait: reports of more devices settle it.')
  expect(check('limit', { objects: true })).toMatchObject({ devices: 'failed', advice: expect.stringContaining('correct') as string })
  const doubted = check('limit', { objects: true, doubt: 'control exceeds it too' })
  expect(doubted.advice).toMatch(/^It may not be the version/)
  expect(doubted.found).toBe('said, but control exceeds it too')
}) // prettier-ignore

test('a check of a newer server is shown by its name', () => {
  expect(check('battery')).toMatchObject({ title: 'Battery', limit: '–' })
})
