import { useQuery } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import type { ReleaseDetail, ReleasePlan } from '@/api/schemas'
import { TypedConfirm } from '@/components/TypedConfirm'
import { audienceWords, hasCallers } from '@/lib/audience'
import { countedDevices } from '@/lib/counted'
import { count } from '@/lib/format'
import { MOVES, type Move } from '@/lib/releaseMoves'
import { stageName } from '@/lib/stageName'
import { reachOf } from './reach'

type Props = {
  release: ReleaseDetail
  move: Move
  plan: ReturnType<typeof usePlan>
  /** Given where the move asks why. */
  reason?: { value: string; onChange: (reason: string) => void }
  onConfirm: () => void
  onClose: () => void
}

/** Requires typing the number of devices that a move reaches, before it widens a release. */
export function WideningDialog({ release, move, plan, reason, onConfirm, onClose }: Props) {
  const { label } = MOVES[move]
  const reach = hasCallers(release.kind) ? null : reachOf(plan.data, move, release)
  return (
    <TypedConfirm
      opened
      title={`${label} ${release.task} ${release.version}`}
      // Without a number, the release's version has to be typed instead.
      expected={reach ? count(reach.devices.count) : release.version}
      what={reach ? 'the number of devices' : 'the version'}
      {...(reason && { reason })}
      confirm={label}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {reach && (
        <>
          {reach.stage ? `${stageName(reach.stage)} reaches ` : 'The release proceeds automatically and reaches '}
          <strong>{countedDevices(reach.devices)}</strong> of the {count(plan.data?.total ?? 0)} devices of{' '}
          {release.app}.
        </>
      )}
      {hasCallers(release.kind) && `The release proceeds to more of its callers in ${release.app}.`}
      {plan.data && ` ${fallsBack(plan.data)}`}
      {plan.isError && `The number of devices is not known: ${plan.error.message}`}
    </TypedConfirm>
  )
}

/** Says what becomes of the devices if the release fails. */
function fallsBack({ replaces, version, kind }: ReleasePlan): string {
  const many = audienceWords(kind).many
  if (!replaces) return `If it fails, ${many} ${hasCallers(kind) ? 'get no answer' : 'lose the task'}.`
  const ways = replaces.version === version ? 'keep' : 'return to'
  return `If it fails, ${many} ${ways} ${replaces.version} (release ${replaces.release}).`
}

/** Returns what the release would reach if it were created now, read again each time a dialog opens. */
export function usePlan(release: ReleaseDetail, isWanted: boolean) {
  return useQuery({
    queryKey: ['/api/v1/releases/plan', release.id],
    queryFn: () => planOf(release),
    enabled: isWanted,
    retry: false,
    refetchOnWindowFocus: false,
    refetchInterval: false,
  })
}

async function planOf({ app, task, version, rule, strategy }: ReleaseDetail): Promise<ReleasePlan> {
  return answer(client.POST('/api/v1/releases/plan', { body: { app, task, version, rule, strategy } }))
}
