import { expect, test } from 'vitest'
import { ruleWords } from './ruleWords'

const ANDROID = { fact: 'os', in: ['android', 'ios'] }
const NEW = { fact: 'app_version', at_least: '2.0.0' }

test.each([
  [ANDROID, 'os android, ios'],
  [NEW, 'app_version at_least 2.0.0'],
  [{ fact: 'kind-pipeline', equals: true }, 'kind-pipeline true'],
  [
    { all: [ANDROID, { any: [NEW, { list: 'testers' }] }] },
    'os android, ios and (app_version at_least 2.0.0 or list testers)',
  ],
  [{ not: { any: [NEW, ANDROID] } }, 'not (app_version at_least 2.0.0 or os android, ios)'],
  [{ devices: ['a'] }, '{"devices":["a"]}'],
])('a rule is one line: %j', (rule, words) => {
  expect(ruleWords(rule)).toBe(words)
})
