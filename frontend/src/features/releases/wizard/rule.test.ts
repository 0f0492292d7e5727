import { describe, expect, test } from 'vitest'
import { operatorNamed, VOCABULARY } from '@/lib/exampleVocabulary'
import {
  added, asGroup, devices, fact as factWith, found, group, isIncomplete, jsonOf, list, missing, negated, not, readRule as readWith, replaced, Unreadable,
} from './rule' // prettier-ignore

const readRule = (json: unknown) => readWith(json, VOCABULARY.operators)
const fact = (name: string, operator: string, value: unknown) => factWith(name, operatorNamed(operator), value)

const WHOLE = {
  all: [
    { fact: 'os', equals: 'android' },
    { fact: 'os_version', version: '>=12' },
    { not: { fact: 'performance', in: ['low'] } },
    { any: [{ list: 'testers' }, { devices: ['Zm9vYmFy'] }] },
    { fact: 'memory', range: { at_least: 4, below: 16 } },
    { fact: 'model', prefix: 'Pixel' },
    { fact: 'model', glob: 'SM-G99?*' },
    { fact: 'user.beta', equals: true },
  ],
}

describe('reading', () => {
  test('every form comes back as it was', () => {
    expect(jsonOf(readRule(WHOLE))).toEqual(WHOLE)
  })

  test('wrong values are kept: the server says what is wrong with them', () => {
    const rule = { fact: 'os', in: [1, 'x', true] }
    expect(jsonOf(readRule(rule))).toEqual(rule)
  })

  test.each([
    [{}, 'rule'],
    [[], 'rule'],
    [{ all: {} }, 'rule.all'],
    [{ any: [{ not: 1 }] }, 'rule.any[0].not'],
    [{ all: [{ fact: 'os', in: 'android' }] }, 'rule.all[0].in'],
    [{ fact: 'os', in: [], equals: 1 }, 'rule'],
    [{ fact: 'memory', range: [4] }, 'rule.range'],
  ])('%j has another shape, at %s', (json, path) => {
    const read = () => readRule(json)
    expect(read).toThrow(Unreadable)
    expect(read).toThrow(new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}: expected `))
  })
})

describe('changing', () => {
  const leaf = fact('os', 'equals', 'android')
  const tree = group('all', [leaf, not(list('testers'))])

  test('a part takes the place of another', () => {
    expect(jsonOf(replaced(tree, leaf.key, { ...leaf, value: 'ios' }) ?? tree)).toEqual({
      all: [{ fact: 'os', equals: 'ios' }, { not: { list: 'testers' } }],
    })
  })

  test('what is within a not takes it along when it is removed', () => {
    const inner = tree.parts[1]
    const key = inner?.form === 'not' ? inner.part.key : 0
    expect(jsonOf(replaced(tree, key, null) ?? tree)).toEqual({ all: [{ fact: 'os', equals: 'android' }] })
    expect(replaced(leaf, leaf.key, null)).toBeNull()
  })

  test('what is not touched stays the same', () => {
    expect(replaced(tree, -1, null)).toBe(tree)
  })

  test('parts are added to groups', () => {
    expect(jsonOf(added(tree, tree.key, devices(['a'])))).toEqual({
      all: [{ fact: 'os', equals: 'android' }, { not: { list: 'testers' } }, { devices: ['a'] }],
    })
    expect(added(tree, leaf.key, devices(['a']))).toBe(tree)
  })

  test('negating twice changes nothing', () => {
    const once = negated(leaf, leaf.key)
    expect(jsonOf(once)).toEqual({ not: { fact: 'os', equals: 'android' } })
    expect(negated(once, once.key)).toEqual(leaf)
    expect(negated(once, leaf.key)).toEqual(leaf)
  })

  test('a single condition becomes a group', () => {
    expect(jsonOf(asGroup(leaf))).toEqual({ all: [{ fact: 'os', equals: 'android' }] })
    expect(asGroup(tree)).toBe(tree)
    expect(found(tree, leaf.key)).toBe(leaf)
  })
})

test('what is still to be filled in', () => {
  expect(isIncomplete(readRule(WHOLE))).toBe(false)
  const parts = [fact('os', 'in', []), fact('memory', 'range', {}), fact('model', 'glob', ''), list(''), devices([])]
  for (const part of parts) {
    expect(missing(part)).not.toBeNull()
    expect(isIncomplete(group('all', [not(part)]))).toBe(true)
  }
  expect(missing(fact('region', 'equals', ''))).toBeNull()
})
