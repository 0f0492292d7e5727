import { expect, test } from 'vitest'
import { VOCABULARY } from './exampleVocabulary'
import { factsOf, valuesOf } from './facts'

const counts = { known: 2, online: 1, with_tasks: 1 }

test('facts that every device has come with the values that there are', () => {
  const facts = factsOf(VOCABULARY, [], {
    ...counts,
    counted_at: null,
    app_versions: [
      { app: 'shop', app_version: '1.10.0', ...counts },
      { app: 'shop', app_version: '1.9.0', ...counts },
      { app: 'market', app_version: '1.9.0', ...counts },
    ],
    systems: [
      { os: 'android', os_version: '14', ...counts },
      { os: 'android', os_version: '', ...counts },
    ],
  })
  expect(facts.map(({ name }) => name)).toEqual(VOCABULARY.facts.map(({ name }) => name))
  const known = (name: string) => facts.find((fact) => fact.name === name)?.known
  expect(known('app_version')).toEqual(['1.9.0', '1.10.0'])
  expect(known('os')).toEqual(['android'])
  expect(known('os_version')).toEqual(['14'])
})

test('declared facts come with what was declared of them', () => {
  const declared = [
    { name: 'user.age_band', type: 'text', source: 'user', description: '', values: ['18-29', '30-49'] },
    { name: 'rooted', type: 'boolean', source: 'device', description: 'opened by its owner', values: [] },
  ] as const
  const [age, rooted] = factsOf(VOCABULARY, declared, undefined).slice(-2)
  expect(age).toMatchObject({ description: 'text, about the user', values: ['18-29', '30-49'] })
  expect(rooted).toMatchObject({ description: 'opened by its owner', values: null })
  expect([valuesOf(age), valuesOf(rooted), valuesOf(undefined)]).toEqual([['18-29', '30-49'], ['true', 'false'], null])
})
