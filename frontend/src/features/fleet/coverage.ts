/** The composition of the fleet, as rows of a table with the share of each. */
import type { Schemas } from '@/api/schemas'

type Devices = Schemas['Devices']
export type Counts = Pick<Devices, 'known' | 'online' | 'with_tasks'>

/** `where` holds the conditions by which the page of devices finds them; null if none do. */
export type Kind = Counts & { key: string; name: string; app: string | undefined; where: string[] | null }

/** App versions are named with their app where there are several. */
export function versionsOf(counted: Devices['app_versions']): Kind[] {
  const several = new Set(counted.map(({ app }) => app)).size > 1
  return counted.map(({ app, app_version, ...counts }) => ({
    ...counts,
    key: `${app} ${app_version}`,
    name: [several ? app : '', app_version || 'unknown version'].filter(Boolean).join(' '),
    app,
    where: conditions({ app_version }),
  }))
}

export function systemsOf(counted: Devices['systems'], app: string | undefined): Kind[] {
  return counted.map(({ os, os_version, ...counts }) => ({
    ...counts,
    key: `${os} ${os_version}`,
    name: [os, os_version].filter(Boolean).join(' ') || 'unknown system',
    app,
    where: conditions({ os, os_version }),
  }))
}

/** Counts the devices of kinds that are not listed: only the most frequent ones are. */
export function othersOf(all: Counts, listed: readonly Counts[]): Counts {
  const left = (name: keyof Counts) => listed.reduce((sum, each) => sum - each[name], all[name])
  return { known: left('known'), online: left('online'), with_tasks: left('with_tasks') }
}

/** Returns conditions on facts; attributes that a device does not report have none. */
function conditions(facts: Record<string, string>): string[] | null {
  const entries = Object.entries(facts)
  return entries.some(([, value]) => value === '') ? null : entries.map(([fact, value]) => `${fact}=${value}`)
}
