/** Reading what the API gives without a type: facts, strategies, figures, manifests. */
export type Fields = Record<string, unknown>

export function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** As people read and type it: texts as they are, others in JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
