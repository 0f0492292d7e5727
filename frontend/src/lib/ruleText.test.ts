import { expect, test } from 'vitest'
import { devicesMatching, pretty, readRuleText } from './ruleText'

const RULE = { fact: 'os', equals: 'ios' }

test('an object is read, however it is written', () => {
  expect(readRuleText('{ "fact": "os",\n "equals": "ios" }').rule).toEqual(RULE)
  expect(readRuleText(pretty(RULE)).rule).toEqual(RULE)
})

test('what is no object is refused with the reason', () => {
  expect(readRuleText('{"fact": ').fault).toMatch(/^This is not JSON: ./)
  expect(readRuleText('[1]').fault).toMatch(/Expected an object/)
})

test('a rule leads to its devices', () => {
  expect(devicesMatching('shop', RULE)).toEqual({ app: 'shop', rule: '{"fact":"os","equals":"ios"}' })
})
