import { everyFew } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { askedOf, type DrawnSearch } from './drawn'

const AGAIN_MS = 10_000
const ROWS = 100

/** Devices of a release, as DataTable takes them. */
export function useDrawnDevices(release: number, search: DrawnSearch) {
  const asked = { path: { release }, query: { ...askedOf(search), limit: ROWS } }
  return usePages('/api/v1/releases/{release}/devices', asked, { refetchInterval: everyFew(AGAIN_MS) })
}
