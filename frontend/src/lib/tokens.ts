/** API tokens, in words. */
import type { Schemas } from '@/api/schemas'
import type { Tone } from './tone'

export type Permission = Schemas['PermissionsEnum']
export type Token = Schemas['Token']

/** What a token can be limited to; every token may view. */
export const PERMISSIONS: readonly Permission[] = [
  'push',
  'upload variants',
  'simulate',
  'release',
  'complete early',
  'halt releases',
  'retire tasks',
  'issue device credentials',
  'predict',
  'manage keys',
  'manage members',
  'manage webhooks',
  'manage the site',
]

export const LIFETIMES = [
  { value: '7', label: 'In a week' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
] as const
/** Days, or never. */
export type Lifetime = (typeof LIFETIMES)[number]['value']

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/** Returns the end of a new token as the API takes it. */
export function expiryOf(lifetime: Lifetime, now: number): string | null {
  return lifetime === 'never' ? null : new Date(now + Number(lifetime) * DAY_MS).toISOString()
}

export type TokenState = { tone: Tone; word: string; isOver: boolean }

/** Returns whether a token is valid; one that ends within a week asks for attention. */
export function tokenState(
  { revoked_at, expires_at }: Pick<Token, 'revoked_at' | 'expires_at'>,
  now: number,
): TokenState {
  if (revoked_at) return { tone: 'none', word: 'revoked', isOver: true }
  const left = expires_at ? Date.parse(expires_at) - now : Number.POSITIVE_INFINITY
  if (left <= 0) return { tone: 'none', word: 'expired', isOver: true }
  return left <= SOON_MS
    ? { tone: 'attention', word: 'expires soon', isOver: false }
    : { tone: 'ok', word: 'valid', isOver: false }
}

/** "push, release in scenario camera" */
export function reachInWords({ scopes, permissions }: Pick<Token, 'scopes' | 'permissions'>): string {
  const what = permissions.length > 0 ? permissions.join(', ') : 'everything that you may do'
  const where = scopes.length > 0 ? `in ${scopes.map((scope) => scope.replace(':', ' ')).join(', ')}` : 'everywhere'
  return `${what} ${where}`
}
