import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { LASTING, reading } from '@/api/reading'
import { rightsOf, type Rights } from '@/lib/rights'

export const rightsQuery = queryOptions({ ...reading('/api/v1/me'), ...LASTING })

/** Returns the rights of the person, and refreshes them when they change. */
export function useRights(): Rights {
  const { data } = useQuery(rightsQuery)
  return useMemo(() => rightsOf(data), [data])
}
