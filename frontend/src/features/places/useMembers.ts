/** The roles of a scenario or an app. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import type { Schemas } from '@/api/schemas'
import { usePages } from '@/hooks/usePages'
import type { Role } from '@/lib/roles'
import type { Place } from './place'

const OF_SCENARIO = '/api/v1/scenarios/{scenario}/members'
const OF_APP = '/api/v1/apps/{app}/members'

export type Member = Schemas['Member']
export type MemberChange =
  | { does: 'grant'; user: string; role: Role }
  | { does: 'exchange'; user: string; role: Role; new: Role }
  | { does: 'withdraw'; user: string; role: Role }

export function useMembers({ kind, slug }: Place) {
  // Both lists have the same rows; the types relate a variable to one literal address.
  const path = (kind === 'app' ? OF_APP : OF_SCENARIO) as typeof OF_SCENARIO
  return usePages(path, { path: { [kind]: slug } as { scenario: string }, query: { limit: 200 } })
}

export function useMemberChange(place: Place) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: MemberChange) => send(place, change),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(place.kind === 'app' ? OF_APP : OF_SCENARIO) }),
  })
}

async function send({ kind, slug }: Place, change: MemberChange): Promise<unknown> {
  const { user, role } = change
  const [scenario, app] = [{ scenario: slug }, { app: slug }]
  const isApp = kind === 'app'
  if (change.does === 'grant') {
    const body = { user, role }
    return isApp
      ? answer(client.POST(OF_APP, { params: { path: app }, body }))
      : answer(client.POST(OF_SCENARIO, { params: { path: scenario }, body }))
  }
  const held = { user, role }
  if (change.does === 'exchange') {
    const body = { role: change.new }
    return isApp
      ? answer(client.PATCH(`${OF_APP}/{user}/{role}`, { params: { path: { ...app, ...held } }, body }))
      : answer(client.PATCH(`${OF_SCENARIO}/{user}/{role}`, { params: { path: { ...scenario, ...held } }, body }))
  }
  return isApp
    ? answer(client.DELETE(`${OF_APP}/{user}/{role}`, { params: { path: { ...app, ...held } } }))
    : answer(client.DELETE(`${OF_SCENARIO}/{user}/{role}`, { params: { path: { ...scenario, ...held } } }))
}
