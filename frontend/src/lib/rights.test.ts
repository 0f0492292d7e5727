import { expect, test } from 'vitest'
import { missing, missingAnywhere, missingStaff, rightsOf } from './rights'

const me = (staff: boolean, ...scopes: { scope: string; permissions: string[]; owners?: string[] }[]) => ({
  username: 'bob',
  staff,
  token: null,
  scopes: scopes.map((held) => ({ owners: [], ...held, roles: [] })),
})

test('a role allows what it allows, where it is held', () => {
  const rights = rightsOf(me(false, { scope: 'scenario:camera', permissions: ['view', 'push'] }))
  expect(rights.may('push', 'scenario:camera')).toBe(true)
  expect(rights.may('push', 'scenario:camera2')).toBe(false)
  expect(rights.mayAnywhere('view', 'app')).toBe(false)
  expect(missing(rights, 'push', 'scenario:kitchen', 'scenario:camera')).toBeNull()
  expect(missing(rights, 'release', 'scenario:camera')).toBe(
    'This requires the role releaser or owner in scenario camera. Ask site staff: there is no owner.',
  )
  expect(missingAnywhere(rights, 'release', 'scenario')).toContain('in a scenario')
})

test('whoever lacks a role is told the owners of where they have one', () => {
  const held = { scope: 'scenario:camera', permissions: ['view'], owners: ['ada', 'grace'] }
  const rights = rightsOf(me(false, held, { scope: 'app:shop', permissions: ['view'], owners: ['olga'] }))
  expect(missing(rights, 'push', 'scenario:camera')).toMatch(/scenario camera\. Ask ada or grace\.$/)
  const abandoned = rightsOf(me(false, { ...held, owners: [] }))
  expect(missing(abandoned, 'push', 'scenario:camera')).toMatch(/Ask site staff: there is no owner\.$/)
  expect(missing(rights, 'push', 'scenario:kitchen')).toMatch(/Ask an owner there, or site staff\.$/)
  expect(missingAnywhere(rights, 'release', 'scenario')).toMatch(/in a scenario\. Ask ada or grace\.$/)
  expect(missingAnywhere(rights, 'manage keys', 'app')).toMatch(/Ask olga\.$/)
})

test('only site staff make what is the whole site’s', () => {
  expect(missingStaff(rightsOf(me(true)), 'create apps')).toBeNull()
  expect(missingStaff(rightsOf(me(false)), 'create apps')).toBe('Only site staff may create apps. Ask them for one.')
})

test('site staff may do everything, and of others nothing is refused before it is known', () => {
  expect(missing(rightsOf(me(true)), 'manage keys', 'app:shop')).toBeNull()
  expect(missing(rightsOf(undefined), 'manage keys', 'app:shop')).toBeNull()
  expect(rightsOf(undefined).isStaff).toBe(false)
  expect(rightsOf(me(false)).hasRoles).toBe(false)
})
