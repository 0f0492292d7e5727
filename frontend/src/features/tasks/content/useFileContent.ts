import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '@/api/problem'

/** Returns the bytes of a file by its address, unless null; the files of a version never change. */
export function useFileContent(address: string | null) {
  return useQuery({
    queryKey: ['content', address],
    queryFn: async ({ signal }) => {
      const response = await fetch(address ?? '', { credentials: 'same-origin', signal })
      if (!response.ok) throw await ApiProblem.of(response)
      return new Uint8Array(await response.arrayBuffer())
    },
    enabled: address !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}
