import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { LASTING, reading } from '@/api/reading'
import { factsOf } from '@/lib/facts'
import { useVocabulary } from './useVocabulary'

const MOST = 200

/**
 * Returns the facts of the devices of an app, or of all apps without one. `enabled` is false if the app does not exist.
 */
export function useFacts(app: string | undefined, enabled = true) {
  const vocabulary = useVocabulary()
  const declared = useQuery({
    ...reading('/api/v1/apps/{app}/facts', { path: { app: app ?? '' }, query: { limit: MOST } }),
    ...LASTING,
    enabled: enabled && app !== undefined,
  })
  // Only for suggestions: without it, people type the values.
  const fleet = useQuery({
    ...reading('/api/v1/fleet', { query: app === undefined ? {} : { app } }),
    ...LASTING,
    enabled,
  })
  const [words, results, counted] = [vocabulary.data, declared.data?.results, fleet.data?.devices]
  const facts = useMemo(() => (words ? factsOf(words, results ?? [], counted) : []), [words, results, counted])
  return {
    facts,
    isDeclared: words !== undefined && results !== undefined,
    error: vocabulary.error ?? declared.error,
    refetch: () => void Promise.all([vocabulary.refetch(), declared.refetch()]),
  }
}
