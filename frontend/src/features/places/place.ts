/** Scenarios and apps are alike in who has a role there. */

export type Place = { kind: 'scenario' | 'app'; slug: string }

/** Returns the scope in which roles are held. */
export function scopeOf({ kind, slug }: Place): string {
  return `${kind}:${slug}`
}
