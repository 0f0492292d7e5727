/** Scenarios and apps are alike in who has a role there. */

export type Place = { kind: 'scenario' | 'app'; slug: string }

export const RULE_OF_NAMES = 'A lowercase letter, then up to 39 of a-z, 0-9 and -. It never changes.'

/** Returns the scope in which roles are held. */
export function scopeOf({ kind, slug }: Place): string {
  return `${kind}:${slug}`
}
