import { useQuery } from '@tanstack/react-query'
import { LASTING, reading } from '@/api/reading'
import { useFacts } from '@/hooks/useFacts'
import { useAppNames, useTaskNames } from '@/hooks/useNames'
import { valuesOf } from '@/lib/facts'
import { taskPath } from '@/lib/taskName'
import type { DevicesSearch } from './search'

/** Returns the suggestions of the filters. Without a chosen app, people who see only one get its facts. */
export function useSuggestions(search: DevicesSearch) {
  const apps = useAppNames()
  const app = search.app ?? (apps.length === 1 ? apps[0] : undefined)
  // Waits until the number of apps is known. For a missing app, the list of devices shows the error.
  const { facts } = useFacts(app, apps.length > 0 && (app === undefined || apps.includes(app)))
  const tasks = useTaskNames()
  const versions = useQuery({
    ...reading('/api/v1/tasks/{scenario}/{task}/versions', {
      path: taskPath(search.task ?? ''),
      query: { limit: 200 },
    }),
    ...LASTING,
    enabled: search.task !== undefined && tasks.includes(search.task),
  }).data?.results
  return {
    tasks,
    versions: versions?.map(({ version }) => version) ?? [],
    facts,
    valuesOf: (name: string) => {
      const fact = facts.find((each) => each.name === name)
      return valuesOf(fact) ?? fact?.known ?? []
    },
  }
}

export type Suggestions = ReturnType<typeof useSuggestions>
