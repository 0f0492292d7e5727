/** The roles that people hold in scenarios and apps. */
import type { Schemas } from '@/api/schemas'

export type Role = Schemas['Role']

/** What each role is for, the weakest first (accounts_app/permissions.py). */
export const ROLES: Record<Role, string> = {
  viewer: 'sees everything',
  developer: 'also pushes versions, simulates, and stops releases',
  releaser: 'also releases, retires tasks, and stops releases; pushes nothing',
  owner: 'all of these; gives roles, and manages keys and webhooks',
}

export const ROLE_NAMES = Object.keys(ROLES) as Role[]
