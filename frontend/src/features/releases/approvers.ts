/** The people who may approve a waiting release. */
import type { RowOf } from '@/api/reading'

type Member = Pick<RowOf<'/api/v1/scenarios/{scenario}/members'>, 'user' | 'role'>

const RELEASERS: readonly string[] = ['releaser', 'owner']

/** Returns those who may release in the scenario and have any role in the app, except the release's creator. */
export function approversAmong(ofScenario: readonly Member[], ofApp: readonly Member[], maker: string): string[] {
  const inApp = new Set(ofApp.map(({ user }) => user))
  const found = ofScenario.filter(({ user, role }) => RELEASERS.includes(role) && inApp.has(user) && user !== maker)
  return [...new Set(found.map(({ user }) => user))].sort()
}

/** "bob, eve or site staff" */
export function inWords(approvers: readonly string[], most = 5): string {
  const shown = approvers.slice(0, most)
  const more = approvers.length - shown.length
  return `${[...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')}${shown.length > 0 ? ' or ' : ''}site staff`
}
