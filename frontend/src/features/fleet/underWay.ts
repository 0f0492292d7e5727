/** Releases in progress, as rows of a table. */
import type { Schemas } from '@/api/schemas'
import { stageName } from '@/lib/stageName'

export type UnderWay = Schemas['UnderWay']

/** "Gray 50 %, 3 of 4" */
export function stageOf({ stage, stages }: Pick<UnderWay, 'stage' | 'stages'>): string {
  if (!stage) return 'No device yet'
  return `${stageName(stage)}, ${stage.position + 1} of ${stages}`
}
