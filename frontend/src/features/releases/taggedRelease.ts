import { queryOptions } from '@tanstack/react-query'
import { answerWithTag, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import type { ReleaseDetail } from '@/api/schemas'

/** Reads a release with its ETag. */
export function taggedRelease(id: number) {
  return queryOptions({
    queryKey: [...keyOf('/api/v1/releases/{release}', { path: { release: id } }), 'tagged'],
    queryFn: async ({ signal }): Promise<{ data: ReleaseDetail; etag: string | null }> =>
      answerWithTag(client.GET('/api/v1/releases/{release}', { params: { path: { release: id } }, signal })),
  })
}
