import { expect, test } from 'vitest'
import { VOCABULARY } from '@/lib/exampleVocabulary'
import { asJson, asTree, draftOf, emptyDraft, keptOf, requestOf, ruleMeant, type Kept } from './draft'
import { list } from './rule'

const ALL = VOCABULARY.operators
const KEPT: Kept = { app: 'shop', task: 'camera/digits', version: '1.0.0', rule: { list: 'testers' }, strategy: null }

test('what is kept of a draft is the draft', () => {
  expect(keptOf(draftOf(KEPT, ALL))).toEqual(KEPT)
  const written = { ...KEPT, rule: '{"all": [' }
  expect(keptOf(draftOf(written, ALL))).toEqual(written)
})

test('a rule that no tree can show is shown as JSON', () => {
  expect(draftOf({ ...KEPT, rule: { some: [] } }, ALL).rule.text).toContain('"some"')
})

test('names in the address are chosen already', () => {
  expect(emptyDraft(ALL, { scenario: 'camera', task: 'digits', version: '1.0.0' })).toMatchObject({
    app: '',
    task: 'camera/digits',
    version: '1.0.0',
  })
  expect(emptyDraft(ALL, { task: 'digits' }).task).toBe('')
})

test('a rule is meant once nothing is missing and it is JSON', () => {
  expect(ruleMeant(emptyDraft(ALL).rule).why?.expected).toContain('missing')
  expect(ruleMeant({ tree: list('testers'), text: null }).json).toEqual({ list: 'testers' })
  expect(ruleMeant({ tree: list(''), text: '{"list": "a"}' }).json).toEqual({ list: 'a' })
  expect(ruleMeant({ tree: list(''), text: '[]' }).why?.expected).toContain('an object')
  expect(ruleMeant({ tree: list(''), text: '{' }).why?.expected).toContain('not JSON')
})

test('tree and JSON are two views of one rule', () => {
  const tree = { tree: list('testers'), text: null }
  const back = asTree(asJson(tree), ALL)
  expect(ruleMeant(back)).toEqual(ruleMeant(tree))
  expect(() => asTree({ ...tree, text: '{"list": 4}' }, ALL)).toThrow('rule: expected')
  expect(() => asTree({ ...tree, text: '{' }, ALL)).toThrow(SyntaxError)
})

test('a request takes all of them; without a strategy the server fills it in', () => {
  const draft = draftOf(KEPT, ALL)
  expect(requestOf(draft, { list: 'testers' })).toEqual({
    app: 'shop',
    task: 'camera/digits',
    version: '1.0.0',
    rule: { list: 'testers' },
  })
  expect(requestOf(draft, null)).toBeNull()
  expect(requestOf({ ...draft, version: '' }, {})).toBeNull()
})
