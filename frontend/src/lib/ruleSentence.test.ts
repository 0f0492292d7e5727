import { expect, test } from 'vitest'
import { EVERY_CALLER } from './audience'
import { VOCABULARY } from './exampleVocabulary'
import { ruleSentence } from './ruleSentence'

const ANDROID = { fact: 'os', equals: 'android' }
const NEW = { fact: 'app_version', version: '>=2.0.0' }
const TESTERS = { list: 'testers' }
const YOUNG = { fact: 'user.age_band', in: ['18-29', '30-49'] }

test.each([
  [ANDROID, 'Devices whose system is android.'],
  [{ fact: 'os', in: ['android', 'ios'] }, 'Devices whose system is android or ios.'],
  [{ fact: 'region', equals: '' }, 'Devices whose region is “”.'],
  [{ fact: 'rooted', equals: false }, 'Devices for which rooted is false.'],
  [
    { fact: 'os_version', version: '>=12, <14.1, !=13' },
    'Devices whose system version is at least 12, below 14.1 and other than 13.',
  ],
  [{ fact: 'app_version', version: '==2.0.0' }, 'Devices whose app version is 2.0.0.'],
  [{ fact: 'memory', range: { at_least: 4, below: 16 } }, 'Devices whose memory is at least 4 and below 16.'],
  [{ fact: 'model_name', prefix: 'Pixel' }, 'Devices whose model name begins with “Pixel”.'],
  [{ fact: 'model', glob: 'SM-G99?*' }, 'Devices whose model is like “SM-G99?*”.'],
  [TESTERS, 'Devices that are in the list testers.'],
  [{ devices: ['a', 'b'] }, 'Devices whose id is a or b.'],
  [{ devices: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }, 'Devices whose id is a, b, c, d, e or 3 others.'],
])('a condition: %j', (rule, sentence) => {
  expect(ruleSentence(rule)).toBe(sentence)
})

test.each([
  [{ not: ANDROID }, 'Devices whose system is not android.'],
  [{ not: YOUNG }, 'Devices whose user’s age band is not 18-29 or 30-49 or is not known.'],
  [
    { not: { fact: 'os_version', version: '>=12, <14' } },
    'Devices whose system version is not both at least 12 and below 14.',
  ],
  [{ not: { fact: 'memory', range: { above: 4 } } }, 'Devices whose memory is not above 4 or is not known.'],
  [{ not: { fact: 'region', prefix: 'eu' } }, 'Devices whose region does not begin with “eu”.'],
  [{ not: { fact: 'region', glob: 'eu*' } }, 'Devices whose region is not like “eu*”.'],
  [{ not: TESTERS }, 'Devices that are not in the list testers.'],
  [{ not: { devices: ['a'] } }, 'Devices whose id is not a.'],
  [{ not: { not: TESTERS } }, 'Devices that are in the list testers.'],
])('what does not hold, also of what is not known: %j', (rule, sentence) => {
  expect(ruleSentence(rule)).toBe(sentence)
})

test.each([
  [{ all: [ANDROID, NEW] }, 'Devices whose system is android and whose app version is at least 2.0.0.'],
  [
    { any: [ANDROID, NEW, TESTERS] },
    'Devices whose system is android, whose app version is at least 2.0.0 or that are in the list testers.',
  ],
  [
    { all: [ANDROID, { any: [YOUNG, TESTERS] }] },
    'Devices whose system is android and (whose user’s age band is 18-29 or 30-49 or that are in the list testers).',
  ],
  [
    { any: [TESTERS, { all: [ANDROID, NEW] }] },
    'Devices that are in the list testers or (whose system is android and whose app version is at least 2.0.0).',
  ],
  [{ all: [{ any: [ANDROID] }] }, 'Devices whose system is android.'],
  [
    { not: { any: [ANDROID, TESTERS] } },
    'All devices except those whose system is android or that are in the list testers.',
  ],
  [
    { all: [NEW, { not: { all: [ANDROID, TESTERS] } }] },
    'Devices whose app version is at least 2.0.0, except those (whose system is android and that are in the list testers).',
  ],
  [
    { any: [NEW, { not: { all: [ANDROID, TESTERS] } }] },
    'Devices whose app version is at least 2.0.0 or (all except those whose system is android and that are in the list testers).',
  ],
])('groups: %j', (rule, sentence) => {
  expect(ruleSentence(rule)).toBe(sentence)
})

test('the rule of all callers is said of callers, alone and beside others', () => {
  expect(ruleSentence(EVERY_CALLER, 'pipeline')).toBe('All callers.')
  expect(ruleSentence({ all: [EVERY_CALLER, TESTERS] }, 'pipeline')).toBe('Callers that are in the list testers.')
  expect(ruleSentence({ not: EVERY_CALLER }, 'pipeline')).toBe('No callers.')
})

test.each([
  [{ all: [] }, 'All devices.'],
  [{ any: [] }, 'No devices.'],
  [{ fact: 'os', in: [] }, 'Devices whose system is ….'],
  [{ fact: 'os_version', version: '' }, 'Devices whose system version is ….'],
  [{ fact: 'memory', range: {} }, 'Devices whose memory is ….'],
  [{ list: '' }, 'Devices that are in the list ….'],
  [{ devices: [] }, 'Devices whose id is ….'],
])('a rule that is not complete yet: %j', (rule, sentence) => {
  expect(ruleSentence(rule)).toBe(sentence)
})

test.each(VOCABULARY.operators.map(({ name, example }) => [name, example]))(
  'the operator %s has words',
  (name, example) => {
    expect(ruleSentence({ fact: 'os', [name]: example })).not.toContain('{')
    expect(ruleSentence({ fact: 'os', [name]: example })).not.toMatch(/ (in|equals|version|prefix|glob|range) /)
  },
)
