/** Reads untyped parts of the API's answers: facts, strategies, figures, manifests. */
export type JsonObject = Record<string, unknown>

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Formats a value as people type it: texts as they are, others in JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
