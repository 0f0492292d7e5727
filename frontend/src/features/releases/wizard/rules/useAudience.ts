import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { LASTING, reading } from '@/api/reading'
import { useFacts } from '@/hooks/useFacts'
import { useVocabulary } from '@/hooks/useVocabulary'
import type { Fact } from '@/lib/facts'
import type { Operator } from '@/lib/vocabulary'

const MOST = 200

/** The facts and lists that the rules of an app may use. */
export type Audience = {
  operators: readonly Operator[]
  facts: readonly Fact[]
  lists: readonly { name: string; size: number }[]
  /** The kind of the task; undefined while it is unknown. */
  kind: string | undefined
}

export function useAudience(
  app: string,
  kind: string | undefined,
): { data: Audience | null; error: unknown; refetch: () => void } {
  const params = { path: { app }, query: { limit: MOST } }
  const operators = useVocabulary().data?.operators
  const { facts, ...declared } = useFacts(app)
  const versions = useQuery({ ...reading('/api/v1/apps/{app}/versions', params), ...LASTING })
  const lists = useQuery({ ...reading('/api/v1/apps/{app}/lists', params), ...LASTING })
  const data = useMemo(() => {
    if (!operators || !declared.isDeclared || !versions.data || !lists.data) return null
    const released = versions.data.results.map(({ version }) => version)
    const withVersions = facts.map((fact) => (fact.name === 'app_version' ? { ...fact, values: released } : fact))
    return { operators, facts: withVersions, lists: lists.data.results, kind }
  }, [kind, operators, facts, declared.isDeclared, versions.data, lists.data])
  return {
    data,
    error: declared.error ?? versions.error ?? lists.error,
    refetch: () => {
      declared.refetch()
      void Promise.all([versions.refetch(), lists.refetch()])
    },
  }
}
