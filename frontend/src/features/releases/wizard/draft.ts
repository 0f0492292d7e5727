/** The draft of a release in the browser. */
import { pretty, readRuleText } from '@/lib/ruleText'
import type { JsonObject } from '@/lib/json'
import { EVERY_CALLER, hasCallers } from '@/lib/audience'
import { ofValues, type Operator } from '@/lib/vocabulary'
import type { Fault } from './faults'
import { fact, group, isIncomplete, jsonOf, readRule, type Part } from './rule'
import { formOf, strategyOf, type StrategyForm } from './strategy'

/** `text` is the rule while it is edited as JSON; if null, the tree is the rule. */
export type RuleDraft = { tree: Part; text: string | null }
export type Draft = {
  app: string
  /** <scenario>/<task> */
  task: string
  version: string
  /** Null stands for the rule that a release of this kind of task begins with. */
  rule: RuleDraft | null
  /** Null stands for the server's proposal. */
  strategy: StrategyForm | null
}

/** A draft with its rule, and the kind of its task. */
export type ShownDraft = Draft & { rule: RuleDraft; kind: string | undefined }

type NamedTarget = { app?: string; scenario?: string; task?: string; version?: string }

export function emptyDraft(named: NamedTarget = {}): Draft {
  return {
    app: named.app ?? '',
    task: named.scenario && named.task ? `${named.scenario}/${named.task}` : '',
    version: named.version ?? '',
    rule: null,
    strategy: null,
  }
}

/** The rule to begin with: all callers of a pipeline, or devices with versions of the app that are still to be chosen. */
export function firstRule(kind: string | undefined, operators: readonly Operator[]): RuleDraft {
  const condition = hasCallers(kind) ? readRule(EVERY_CALLER, operators) : fact('app_version', ofValues(operators), [])
  return { tree: group('all', [condition]), text: null }
}

/** Turns a release into a draft of the next one. */
export function draftOf(release: StoredDraft, operators: readonly Operator[]): Draft {
  const { app, task, version, rule, strategy } = release
  return {
    app,
    task,
    version,
    rule: rule === null ? null : ruleDraft(rule, operators),
    strategy: strategy ? formOf(strategy) : null,
  }
}

/** The part of a draft that is stored in the browser, which is also part of the API's release. */
export type StoredDraft = { app: string; task: string; version: string; rule: unknown; strategy: JsonObject | null }

function ruleDraft(rule: unknown, operators: readonly Operator[]): RuleDraft {
  try {
    return { tree: readRule(rule, operators), text: null }
  } catch {
    return { tree: firstRule(undefined, operators).tree, text: typeof rule === 'string' ? rule : pretty(rule) }
  }
}

/** Returns the part to store; a rule that is edited as JSON is stored as text. */
export function storedDraftOf(draft: Draft): StoredDraft {
  const { app, task, version, rule, strategy } = draft
  return {
    app,
    task,
    version,
    rule: rule && (rule.text ?? jsonOf(rule.tree)),
    strategy: strategy && strategyOf(strategy),
  }
}

/** The rule to be sent; null with the reason if it is incomplete. */
type ParsedRule = { json: JsonObject; why: null } | { json: null; why: Fault }

export function parseRuleDraft({ tree, text }: RuleDraft): ParsedRule {
  if (text === null) {
    if (!isIncomplete(tree)) return { json: jsonOf(tree), why: null }
    return { json: null, why: { path: '', expected: 'Fill in the empty fields of the rule.' } }
  }
  const { rule, fault } = readRuleText(text)
  return rule ? { json: rule, why: null } : { json: null, why: { path: 'rule', expected: fault } }
}

/** Returns the rule as far as it is written; null while it is no JSON. */
export function writtenRule({ tree, text }: RuleDraft): JsonObject | null {
  return text === null ? jsonOf(tree) : readRuleText(text).rule
}

/** Returns the rule as a tree; throws Unreadable or SyntaxError if that is impossible. */
export function asTree(rule: RuleDraft, operators: readonly Operator[]): RuleDraft {
  return rule.text === null ? rule : { tree: readRule(JSON.parse(rule.text), operators), text: null }
}

export function asJson(rule: RuleDraft): RuleDraft {
  return rule.text === null ? { ...rule, text: pretty(jsonOf(rule.tree)) } : rule
}

export type ReleaseRequest = { app: string; task: string; version: string; rule: JsonObject; strategy?: JsonObject }

/** Returns the body of POST /releases; null while something is missing. */
export function requestOf(draft: Draft, rule: JsonObject | null): ReleaseRequest | null {
  const { app, task, version, strategy } = draft
  if (!app || !task || !version || !rule) return null
  return { app, task, version, rule, ...(strategy ? { strategy: strategyOf(strategy) } : {}) }
}
