import { expect, test } from 'vitest'
import { extendActivity, appendRates, type Activity, type Rates } from './activity'

const activity = (step_s: number, at: number[]): Activity => ({
  step_s,
  at,
  check_ins: at.map(() => 1),
  offers: at.map(() => 0),
  installs: at.map(() => 0),
  failures: at.map(() => 0),
  registered: at.map(() => 2),
  enrolled_by_key: at.map(() => 0),
  enrolled_by_statement: at.map(() => 0),
  enrolments_refused: at.map(() => 0),
})
const rates = (at: number, check_ins: number): Rates => ({
  at: new Date(at * 1000).toISOString(),
  check_ins,
  offers: 0,
  installs: 0,
  failures: 0,
  registered: 3,
  enrolled_by_key: 0,
  enrolled_by_statement: 0,
  enrolments_refused: 0,
})

test('what is not newer is not remembered', () => {
  const known = appendRates([], rates(100, 1))
  expect(appendRates(known, rates(100, 1))).toBe(known)
  expect(appendRates(known, rates(95, 1))).toBe(known)
  expect(appendRates(known, rates(105, 2))).toHaveLength(2)
})

test('what is remembered is bounded', () => {
  let known: readonly Rates[] = []
  for (let at = 0; at < 5000; at += 5) known = appendRates(known, rates(at, 1))
  expect(known).toHaveLength(240)
  expect(known.at(-1)?.at).toBe(new Date(4995_000).toISOString())
})

test('steps that were read stay, those begun since follow as means of what was told in them', () => {
  const live = [rates(30, 9), rates(35, 2), rates(40, 4), rates(45, 6), rates(50, 8)]
  const whole = extendActivity(activity(15, [0, 15]), live)
  expect(whole.at).toEqual([0, 15, 30, 45])
  expect(whole.check_ins).toEqual([1, 1, 4, 8])
  expect(whole.failures).toEqual([0, 0, 0, 0])
  expect(whole.registered).toEqual([2, 2, 3, 3])
})

test('nothing told changes nothing, and a pulse without steps can be continued', () => {
  expect(extendActivity(activity(15, [0, 15]), [])).toEqual(activity(15, [0, 15]))
  expect(extendActivity(activity(5, []), [rates(10, 3)]).at).toEqual([5])
})
