import { expect, test } from 'vitest'
import { VOCABULARY } from '@/lib/exampleVocabulary'
import {
  asJson,
  asTree,
  draftOf,
  emptyDraft,
  firstRule,
  storedDraftOf,
  requestOf,
  parseRuleDraft,
  writtenRule,
  type StoredDraft,
} from './draft'
import { list } from './rule'

const ALL = VOCABULARY.operators
const KEPT: StoredDraft = {
  app: 'shop',
  task: 'camera/digits',
  version: '1.0.0',
  rule: { list: 'testers' },
  strategy: null,
}

test('what is kept of a draft is the draft', () => {
  expect(storedDraftOf(draftOf(KEPT, ALL))).toEqual(KEPT)
  const written = { ...KEPT, rule: '{"all": [' }
  expect(storedDraftOf(draftOf(written, ALL))).toEqual(written)
})

test('a rule that no tree can show is shown as JSON', () => {
  expect(draftOf({ ...KEPT, rule: { some: [] } }, ALL).rule?.text).toContain('"some"')
})

test('names in the address are chosen already', () => {
  expect(emptyDraft({ scenario: 'camera', task: 'digits', version: '1.0.0' })).toMatchObject({
    app: '',
    task: 'camera/digits',
    version: '1.0.0',
  })
  expect(emptyDraft({ task: 'digits' }).task).toBe('')
})

test('a pipeline begins with all callers, and keeps what was chosen instead', () => {
  expect(parseRuleDraft(firstRule('pipeline', ALL)).json).toEqual({ all: [{ fact: 'kind-pipeline', equals: true }] })
  const untouched = { ...KEPT, rule: null }
  expect(storedDraftOf(draftOf(untouched, ALL))).toEqual(untouched)
})

test('a rule is meant once nothing is missing and it is JSON', () => {
  expect(parseRuleDraft(firstRule('device', ALL)).why?.expected).toContain('empty fields')
  expect(parseRuleDraft({ tree: list('testers'), text: null }).json).toEqual({ list: 'testers' })
  expect(parseRuleDraft({ tree: list(''), text: '{"list": "a"}' }).json).toEqual({ list: 'a' })
  expect(parseRuleDraft({ tree: list(''), text: '[]' }).why?.expected).toContain('an object')
  expect(parseRuleDraft({ tree: list(''), text: '{' }).why?.expected).toContain('not JSON')
})

test('a rule that is not whole can be read all the same', () => {
  expect(writtenRule(firstRule('device', ALL))).toEqual({ all: [{ fact: 'app_version', in: [] }] })
  expect(writtenRule({ tree: list('a'), text: '{"list": "b"}' })).toEqual({ list: 'b' })
  expect(writtenRule({ tree: list('a'), text: '{"list"' })).toBeNull()
})

test('tree and JSON are two views of one rule', () => {
  const tree = { tree: list('testers'), text: null }
  const back = asTree(asJson(tree), ALL)
  expect(parseRuleDraft(back)).toEqual(parseRuleDraft(tree))
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
