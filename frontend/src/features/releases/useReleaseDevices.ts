import { everyFew } from '@/api/reading'
import { usePages } from '@/hooks/usePages'
import { queryOf, type ReleaseDevicesSearch } from './releaseDevices'

const AGAIN_MS = 10_000
const ROWS = 100

/** Returns the devices of a release for DataTable. */
export function useReleaseDevices(release: number, search: ReleaseDevicesSearch) {
  const params = { path: { release }, query: { ...queryOf(search), limit: ROWS } }
  return usePages('/api/v1/releases/{release}/devices', params, { refetchInterval: everyFew(AGAIN_MS) })
}
