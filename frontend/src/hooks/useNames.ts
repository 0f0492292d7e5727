/** Names to choose from, cached for a minute. */
import { useQuery } from '@tanstack/react-query'
import { LASTING, rowsOf, type PagePath, type RowOf } from '@/api/reading'

/** The maximum number of names; further ones have to be typed. */
const MOST = 2_000

export function useAppNames(): string[] {
  return useNames('/api/v1/apps', ({ slug }) => slug)
}

export function useScenarioNames(): string[] {
  return useNames('/api/v1/scenarios', ({ slug }) => slug)
}

export function useTaskNames(): string[] {
  return useNames('/api/v1/tasks', ({ name }) => name)
}

const NONE: string[] = []

function useNames<P extends PagePath>(path: P, nameOf: (row: RowOf<P>) => string): string[] {
  const { data } = useQuery({
    queryKey: [path, {}, 'names'],
    queryFn: async ({ signal }) => {
      const names: string[] = []
      for await (const row of rowsOf(path, {}, signal)) {
        if (names.push(nameOf(row)) === MOST) break
      }
      return names
    },
    ...LASTING,
  })
  return data ?? NONE
}
