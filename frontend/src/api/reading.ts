/** Readings of the API as options of TanStack Query, with keys that follow from the address. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { PathsWithMethod, SuccessResponseJSON } from 'openapi-typescript-helpers'
import { answer, client } from './client'
import type { paths } from './generated/schema'
import { isRefusal } from './problem'

type GetPath = PathsWithMethod<paths, 'get'>
type Operation<P extends GetPath> = paths[P] extends { get: infer Get } ? Get : never
type Parameters<P extends GetPath> = Operation<P> extends { parameters: infer Source } ? Source : never
type Part<Source, Name extends string> = Name extends keyof Source ? NonNullable<Source[Name]> : never

/** The type of the API's answer at this address. */
export type Answer<P extends GetPath> = SuccessResponseJSON<Operation<P> & Record<string | number, unknown>>
/** The variables in an address and its query. */
export type RequestParams<P extends GetPath> = {
  path?: Part<Parameters<P>, 'path'>
  query?: Part<Parameters<P>, 'query'>
}
/** The addresses that answer with pages. */
export type PagePath = {
  [P in GetPath]: Answer<P> extends { results: unknown[]; next: string | null } ? P : never
}[GetPath]
export type RowOf<P extends PagePath> = Answer<P> extends { results: (infer Row)[] } ? Row : never

/**
 * Returns the key of a reading; without `asked`, of all readings of the address: `invalidateQueries({ queryKey:
 * keyOf(path) })`.
 */
export function keyOf<P extends GetPath>(path: P, params?: RequestParams<P>): readonly unknown[] {
  return params === undefined ? [path] : [path, params]
}

/** Options for `useQuery`. */
export function reading<P extends GetPath>(path: P, params: RequestParams<P> = {}) {
  return queryOptions({
    queryKey: keyOf(path, params),
    queryFn: ({ signal }) => get(path, params, signal),
  })
}

/** Options for readings of data that seldom change, such as names to choose from. */
export const LASTING = { staleTime: 60_000 }

/** Options for `useInfiniteQuery`: pages of a list by its cursor. */
export function pages<P extends PagePath>(path: P, params: RequestParams<P> = {}) {
  return infiniteQueryOptions({
    queryKey: [path, params, 'pages'],
    queryFn: ({ pageParam, signal }) => getPage(path, params, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last as { next: string | null }).next,
  })
}

const MOST_ON_PAGE = 200
/** Lists of more pages than this are not refreshed automatically. */
const FEW = 2

/** Yields the rows of a list, page by page, as long as the caller reads them: for names, of which there may be many. */
export async function* rowsOf<P extends PagePath>(
  path: P,
  params: RequestParams<P>,
  signal: AbortSignal,
): AsyncGenerator<RowOf<P>> {
  const query: object = { ...(params.query as object | undefined), limit: MOST_ON_PAGE }
  let cursor: string | null = null
  do {
    const page = (await getPage(path, { ...params, query } as RequestParams<P>, cursor, signal)) as {
      results: RowOf<P>[]
      next: string | null
    }
    yield* page.results
    cursor = page.next
  } while (cursor !== null)
}

/** Returns a `refetchInterval` in milliseconds; refused readings are not repeated. */
export function every(milliseconds: number) {
  return ({ state }: { state: { error: unknown } }) => (isRefusal(state.error) ? false : milliseconds)
}

/** Returns a `refetchInterval` for pages, as long as they are few. */
export function everyFew(milliseconds: number) {
  return ({ state }: { state: { error: unknown; data: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= FEW && every(milliseconds)({ state })
}

function getPage<P extends PagePath>(path: P, params: RequestParams<P>, cursor: string | null, signal: AbortSignal) {
  const query = { ...(params.query as object | undefined), ...(cursor === null ? {} : { cursor }) }
  return get(path, { ...params, query } as RequestParams<P>, signal)
}

async function get<P extends GetPath>(path: P, params: RequestParams<P>, signal: AbortSignal): Promise<Answer<P>> {
  // The types of openapi-fetch relate parameters to one literal address; for an address that is a variable, Asked does.
  const call = client.GET as (path: string, options: object) => Promise<{ data?: Answer<P>; response: Response }>
  return answer(call(path, { params: params, signal }))
}
