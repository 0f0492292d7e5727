/** Parses a targeting rule in JSON. The API checks its meaning. */
import type { JsonObject } from './json'

type ReadRule = { rule: JsonObject; fault: null } | { rule: null; fault: string }

export function readRuleText(typed: string): ReadRule {
  try {
    const value: unknown = JSON.parse(typed)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { rule: value as JsonObject, fault: null }
    return { rule: null, fault: 'Expected an object, such as {"fact": "os", "equals": "android"}.' }
  } catch (error) {
    return { rule: null, fault: `This is not JSON: ${error instanceof Error ? error.message : ''}` }
  }
}

/** Returns the query of the page of an app's devices that a rule matches. */
export function devicesMatching(app: string, rule: JsonObject) {
  return { app, rule: JSON.stringify(rule) }
}

/** Formats JSON with indentation. */
export function pretty(json: unknown): string {
  return JSON.stringify(json, null, 2)
}
