import { useQuery } from '@tanstack/react-query'
import { reading } from '@/api/reading'

/** What rules can say of facts: it stays so for as long as the page is open. */
export function useVocabulary() {
  return useQuery({ ...reading('/api/v1/rules/vocabulary'), staleTime: Number.POSITIVE_INFINITY })
}
