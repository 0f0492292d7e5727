import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * The filters of the page, which are its address's query: `const [filters, setFilters] = useFilters<Search>()`.
 *
 * `setFilters` merges; undefined and '' remove. Changes replace the history's entry, so that Back leaves the page.
 */
export function useFilters<Filters extends object>(): [Filters, (change: Partial<Filters>) => void] {
  const filters = useSearch({ strict: false }) as unknown as Filters
  const navigate = useNavigate()
  const change = useCallback(
    (some: Partial<Filters>) => {
      void navigate({ to: '.', search: ((before: object) => ({ ...before, ...some })) as never, replace: true })
    },
    [navigate],
  )
  return [filters, change]
}
