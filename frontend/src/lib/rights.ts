/** The rights of a person, as far as is known: the server decides. */
import type { Answer } from '@/api/reading'

export type Me = Omit<Answer<'/api/v1/me'>, 'preferences'>
type Permission =
  'view' | 'push' | 'simulate' | 'release' | 'halt releases' | 'acknowledge' | 'manage keys' | 'manage members'
type Kind = 'scenario' | 'app'
const MOST_NAMED = 5

/** The roles that hold a permission (accounts_app/permissions.py). */
const ROLES: Record<Permission, string> = {
  view: 'any role',
  push: 'the role developer or owner',
  simulate: 'the role developer, releaser or owner',
  release: 'the role releaser or owner',
  'halt releases': 'the role developer, releaser or owner',
  acknowledge: 'the role developer, releaser or owner',
  'manage keys': 'the role owner',
  'manage members': 'the role owner',
}

export type Rights = {
  /** Whether the rights were read. */
  isKnown: boolean
  username: string
  /** Site staff may do everything, and use the admin pages. */
  isStaff: boolean
  /** People without any role see nothing. */
  hasRoles: boolean
  may: (permission: Permission, scope: string) => boolean
  mayAnywhere: (permission: Permission, kind: Kind) => boolean
  /** The owners of a scope; null where the person has no role, and so does not know them. */
  ownersOf: (scope: string) => string[] | null
  /** The owners of all scopes of a kind in which the person has a role. */
  ownersAnywhere: (kind: Kind) => string[]
}

/** Returns the rights; until they are known, everything but the admin pages is offered. */
export function rightsOf(me: Me | undefined): Rights {
  const all = !me || me.staff
  const held = (permission: Permission, fits: (scope: string) => boolean) =>
    all || me.scopes.some(({ scope, permissions }) => fits(scope) && permissions.includes(permission))
  return {
    isKnown: me !== undefined,
    username: me?.username ?? '',
    isStaff: me?.staff ?? false,
    hasRoles: all || me.scopes.length > 0,
    may: (permission, scope) => held(permission, (each) => each === scope),
    mayAnywhere: (permission, kind) => held(permission, (each) => each.startsWith(`${kind}:`)),
    ownersOf: (scope) => me?.scopes.find((held) => held.scope === scope)?.owners ?? null,
    ownersAnywhere: (kind) => {
      const owners = me?.scopes.flatMap((held) => (held.scope.startsWith(`${kind}:`) ? held.owners : [])) ?? []
      return [...new Set(owners)].slice(0, MOST_NAMED)
    },
  }
}

/** Returns why somebody may not, and whom to contact; null if they may. Any one of the scopes is enough. */
export function missing(rights: Rights, permission: Permission, ...scopes: string[]): string | null {
  if (scopes.some((scope) => rights.may(permission, scope))) return null
  return `This requires ${ROLES[permission]} in ${scopes.map(inWords).join(' or ')}. ${whomToAsk(scopes.map(rights.ownersOf))}`
}

/** Returns the same for what concerns everything, which only site staff may. */
export function missingOfSite(rights: Rights): string | null {
  return rights.isStaff || !rights.isKnown ? null : 'This concerns everything: ask site staff.'
}

/** Returns the same for actions without a particular scenario or app. */
export function missingAnywhere(rights: Rights, permission: Permission, kind: Kind): string | null {
  if (rights.mayAnywhere(permission, kind)) return null
  return `This requires ${ROLES[permission]} in ${kind === 'app' ? 'an app' : 'a scenario'}. ${whomToAsk([rights.ownersAnywhere(kind), null])}`
}

/** Returns why somebody may not do what takes site staff; null if they may, and until that is known. */
export function missingStaff({ isKnown, isStaff }: Rights, what: string): string | null {
  return isKnown && !isStaff ? `Only site staff may ${what}. Ask them for one.` : null
}

/** Names the owners, as far as they are known. */
function whomToAsk(owners: readonly (string[] | null)[]): string {
  const names = [...new Set(owners.flatMap((some) => some ?? []))]
  if (names.length > 0) return `Ask ${names.join(' or ')}.`
  return owners.includes(null) ? 'Ask an owner there, or site staff.' : 'Ask site staff: there is no owner.'
}

/** Returns a scope such as "scenario:camera" in words. */
function inWords(scope: string): string {
  return scope.replace(':', ' ')
}
