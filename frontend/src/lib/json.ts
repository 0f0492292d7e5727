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

/** Formats data with a line for each member; lists of plain values are on one line. */
export function indented(value: unknown, margin = ''): string {
  const inner = `${margin}  `
  if (Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null)) {
    return `[\n${value.map((each) => inner + indented(each, inner)).join(',\n')}\n${margin}]`
  }
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`
  const members = Object.entries(asObject(value))
  if (members.length === 0) return JSON.stringify(value)
  const lines = members.map(([name, each]) => `${inner}${JSON.stringify(name)}: ${indented(each, inner)}`)
  return `{\n${lines.join(',\n')}\n${margin}}`
}

/** Formats a value as people type it: texts as they are, others in JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
