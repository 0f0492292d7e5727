import { useQuery } from '@tanstack/react-query'
import { LASTING, reading } from '@/api/reading'
import { useFacts } from '@/hooks/useFacts'
import { useAppNames, useTaskNames } from '@/hooks/useNames'
import { valuesOf } from '@/lib/facts'
import { taskPath } from '@/lib/taskName'
import type { DevicesSearch } from './search'

/** What the filters offer to choose from. Without an app, those who see only one are offered its facts. */
export function useSuggestions(search: DevicesSearch) {
  const apps = useAppNames()
  const app = search.app ?? (apps.length === 1 ? apps[0] : undefined)
  // Not before it is known whether there is but one. Of an app that there is not, the list of devices says so.
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
