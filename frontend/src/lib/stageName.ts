import type { Stage } from '@/api/schemas'
import { millionths } from './format'
import { STAGE_KINDS } from './stageKinds'

type Named = { kind: Stage['kind']; share: number; id_list: string }

type Progress = { stage: (Named & { position: number }) | null; stages: number }

/** "Gray 50 %, 3 of 4" */
export function stageOf({ stage, stages }: Progress): string {
  return stage ? `${stageName(stage)}, ${stage.position + 1} of ${stages}` : 'No device yet'
}

/** "Beta testers", "Gray 20 %". */
export function stageName({ kind, share, id_list: list }: Named): string {
  return `${STAGE_KINDS[kind].title} ${list || millionths(share)}`
}
