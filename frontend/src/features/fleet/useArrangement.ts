import { useState } from 'react'
import { contentsOf, type Contents } from './arrangement'
import type { Concern } from './attention'
import type { FleetSnapshot } from './useFleet'

type Fleet = { snapshot: FleetSnapshot | undefined; attention: readonly Concern[] | undefined }

/**
 * Returns which cards had something to show when the page was opened, for all devices or for an app's; undefined until
 * that is known. It stays as it was: what comes and goes while people look moves nothing away from under their hands.
 */
export function useArrangement(app: string | undefined, { snapshot, attention }: Fleet): Contents | undefined {
  const [kept, setKept] = useState<{ app: string | undefined; contents: Contents }>()
  if (kept && kept.app === app) return kept.contents
  if (!snapshot || !attention) return undefined
  const contents = contentsOf({ attention, releases: snapshot.releases, devices: snapshot.devices.known })
  setKept({ app, contents })
  return contents
}
