import { useQueries } from '@tanstack/react-query'
import { LASTING, reading } from '@/api/reading'
import { useTaskNames } from '@/hooks/useNames'
import { taskPath } from '@/lib/taskName'

/** What versions are called by the beginning of their manifests' digests, which is how devices know them. */
export function useVersionNames(tasks: readonly string[]): (task: string, manifest: string) => string | undefined {
  const visible = useTaskNames()
  const known = tasks.filter((task) => visible.includes(task))
  const versions = useQueries({
    queries: known.map((name) => {
      const asked = { path: taskPath(name), query: { limit: 200 } }
      return { ...reading('/api/v1/tasks/{scenario}/{task}/versions', asked), ...LASTING }
    }),
  })
  return (task, manifest) =>
    versions[known.indexOf(task)]?.data?.results.find(({ manifest_digest }) => manifest_digest.startsWith(manifest))
      ?.version
}
