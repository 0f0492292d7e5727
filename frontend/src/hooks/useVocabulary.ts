import { useQuery } from '@tanstack/react-query'
import { reading } from '@/api/reading'

/** Returns the vocabulary of rules, which is read once per page. */
export function useVocabulary() {
  return useQuery({ ...reading('/api/v1/rules/vocabulary'), staleTime: Number.POSITIVE_INFINITY })
}
