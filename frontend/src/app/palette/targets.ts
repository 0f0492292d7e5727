/** The targets of the palette. */
import { useQuery } from '@tanstack/react-query'
import { Boxes, History, Rocket, Smartphone, type LucideIcon } from 'lucide-react'
import { useMemo } from 'react'
import { reading } from '@/api/reading'
import { fitting } from '@/lib/matching'
import { recent } from '@/lib/recent'
import { useNavigationPages } from '../pages'

export type Target = { path: string; title: string; kind: string; icon: LucideIcon }

const MOST = 12
/** Recent pages that are offered before all others. */
const MOST_RECENT = 5
/** Matches what may be the beginning of a device's id, and is long enough. */
const DEVICE = /^[A-Za-z0-9_-]{2,64}$/
/**
 * Returns the matching targets: recent pages while nothing is typed; then pages, tasks, releases, and devices by the
 * beginning of an id.
 */
export function useTargets(typed: string, opened: boolean): Target[] {
  const lasting = { staleTime: 30_000, enabled: opened }
  const tasks = useQuery({ ...reading('/api/v1/tasks', { query: { limit: 200 } }), ...lasting })
  const releases = useQuery({ ...reading('/api/v1/releases', { query: { limit: 100 } }), ...lasting })
  const beginning = typed.trim()
  const devices = useQuery({
    ...reading('/api/v1/devices', { query: { q: beginning, limit: 5 } }),
    ...lasting,
    enabled: opened && DEVICE.test(beginning),
  })
  // Of many tasks, the newest are known; others are found by what is typed of their names.
  const others = useQuery({
    ...reading('/api/v1/tasks', { query: { q: beginning, limit: MOST } }),
    ...lasting,
    enabled: opened && beginning !== '' && typeof tasks.data?.next === 'string',
  })
  const pages = useNavigationPages()
  return useMemo(() => {
    const targets = pages.map(({ path, title, icon }): Target => ({ path, title, icon, kind: 'Page' }))
    if (beginning === '') {
      const known = new Set([location.pathname, ...targets.map(({ path }) => path)])
      const seen = recent()
        .filter(({ path }) => !known.has(path))
        .map((visited): Target => ({ ...visited, kind: 'Recent', icon: History }))
      return [...seen.slice(0, MOST_RECENT), ...targets]
    }
    const listed = [tasks.data, others.data].flatMap((page) => page?.results ?? [])
    const names = new Set(listed.map(({ name }) => name))
    const known: Target[] = [
      ...targets,
      ...[...names].map((name) => ({
        path: `/tasks/${name}`,
        title: name,
        kind: 'Task',
        icon: Boxes,
      })),
      ...(releases.data?.results ?? []).map(({ id, task, version, app, state }) => ({
        path: `/releases/${id}`,
        title: `${task} ${version} to ${app}, ${state}`,
        kind: `Release ${id}`,
        icon: Rocket,
      })),
    ]
    const found = (devices.data?.results ?? []).map(({ app, device }) => ({
      path: `/devices/${app}/${device}`,
      title: device,
      kind: `Device of ${app}`,
      icon: Smartphone,
    }))
    const fits = fitting(beginning, known, ({ title, kind }) => `${title} ${kind}`)
    return [...fits.slice(0, MOST - found.length), ...found]
  }, [beginning, pages, tasks.data, others.data, releases.data, devices.data])
}
