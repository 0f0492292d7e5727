import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answer, client, ifMatch } from '@/api/client'
import { keyOf } from '@/api/reading'
import type { ReleaseDetail, ReleaseState } from '@/api/schemas'
import { doneToast, refusedToast, undoToast } from '@/components/toasts'
import { useRights } from '@/hooks/useRights'
import { MOVES, type Move } from '@/lib/releaseMoves'
import { taskPath } from '@/lib/taskName'
import { CONDITIONS, expected, obstacle, wayBack } from './moves'
import { taggedRelease } from './taggedRelease'

/** `etag` is the one of the release when the person decided; null if the move is safe in any case. */
type Decision = { release: ReleaseDetail; move: Move; reason: string; etag: string | null; undoes?: boolean }

/**
 * Moves a release: `shown` is the expected release during a request; after a refusal, the former one.
 *
 * A move that halts is done at once, and there is a way back from it; `decide` of a widening move comes from a dialog.
 */
export function useMove(release: ReleaseDetail) {
  const queries = useQueryClient()
  const rights = useRights()
  const navigate = useNavigate()
  const mutationKey = ['move', release.id]
  const mutation = useMutation({
    mutationKey,
    mutationFn: send,
    onSuccess: async (moved, decision) => {
      // What was asked for before the move may be answered after it, with the ETag of before.
      await queries.cancelQueries({ queryKey: taggedRelease(moved.id).queryKey })
      queries.setQueryData(taggedRelease(moved.id).queryKey, { data: moved, etag: null })
      void queries.invalidateQueries({ queryKey: keyOf('/api/v1/releases') })
      const now = queries.query({ ...taggedRelease(moved.id), staleTime: 0 })
      // Only an undo needs to know that this failed.
      now.catch(() => undefined)
      const message = `${moved.task} ${moved.version} ${MOVES[decision.move].done}`
      // The way back is releasing again, which requires more rights than halting.
      const isUndoable = CONDITIONS[decision.move].effect === 'halts' && obstacle(rights, 'start', moved) === null
      if (decision.undoes || !isUndoable) doneToast(message)
      else {
        const words = wayBack(decision.move, decision.release)
        undoToast(message, () => void undo(decision, now), `release ${moved.id}`, words)
      }
    },
    onError: (error, { move, release: { id } }) => {
      refusedToast(`${MOVES[move].label} failed`, error)
      void queries.invalidateQueries({ queryKey: taggedRelease(id).queryKey })
    },
  })

  const undo = async ({ release: before, move }: Decision, after: Promise<{ etag: string | null }>) => {
    try {
      if (move === 'pause') {
        // The ETag after the pause: if anything has happened since, such as a verdict, the person has to decide again.
        const { etag } = await after
        const release: ReleaseDetail = { ...before, state: 'paused' }
        mutation.mutate({ release, move: 'resume', reason: 'pause undone', etag, undoes: true })
        return
      }
      const again = await releaseAgain(queries, before, move)
      const begins = before.state === 'draft' ? 'is a draft of the same' : 'starts from its first stage'
      doneToast(`Release ${again.id} ${begins}; release ${before.id} stays ${MOVES[move].done}.`)
      await navigate({ to: '/releases/$id', params: { id: String(again.id) } })
    } catch (error) {
      refusedToast(move === 'pause' ? 'The pause was not undone' : 'It was not released again', error)
    }
  }

  const pending = mutation.isPending ? mutation.variables : null
  // Once the release has moved on, the expectation is fulfilled or obsolete.
  const isAhead =
    pending?.release.id === release.id && pending.release.transitions.length === release.transitions.length
  return {
    shown: pending && isAhead ? expected(release, pending.move, pending.reason) : release,
    isBusy: mutation.isPending,
    /** `done` is called when the server has done it. */
    decide: (decision: Omit<Decision, 'release'>, done: () => void) => {
      // The second click of a double click arrives before the next rendering.
      if (queries.isMutating({ mutationKey }) === 0) mutation.mutate({ ...decision, release }, { onSuccess: done })
    },
  }
}

async function send({ release, move, reason, etag }: Decision): Promise<ReleaseDetail> {
  // Halting applies to whatever stage it is in by now; widening applies only to the state that was seen.
  const seen: { state?: ReleaseState; position?: number } =
    CONDITIONS[move].effect === 'halts'
      ? {}
      : { state: release.state, ...(release.position === null ? {} : { position: release.position }) }
  return answer(
    client.POST('/api/v1/releases/{release}/{action}', {
      params: { path: { release: release.id, action: move } },
      headers: ifMatch(etag),
      body: { reason, ...seen },
    }),
  )
}

/** An ended release cannot be resumed: the same is released again, from its first stage. */
async function releaseAgain(queries: QueryClient, before: ReleaseDetail, move: Move): Promise<ReleaseDetail> {
  const reason = `release ${before.id} again, which was ${MOVES[move].done}`
  if (move === 'roll-back') {
    const path = { ...taskPath(before.task), version: before.version }
    const address = '/api/v1/tasks/{scenario}/{task}/versions/{version}/lift-quarantine'
    await answer(client.POST(address, { params: { path }, body: { reason } }))
  }
  const clone = '/api/v1/releases/{release}/clone'
  const again = await answer(
    client.POST(clone, { params: { path: { release: before.id } }, body: { version: before.version } }),
  )
  void queries.invalidateQueries({ queryKey: keyOf('/api/v1/releases') })
  if (before.state === 'draft') return again
  return send({ release: again, move: 'start', reason, etag: null })
}
