import type { Stage } from '@/api/schemas'
import { millionths } from './format'
import { STAGE_KINDS } from './stageKinds'

type Named = { kind: Stage['kind']; share: number; id_list: string }

/** "Beta testers", "Gray 20 %". */
export function stageName({ kind, share, id_list: list }: Named): string {
  return `${STAGE_KINDS[kind].title} ${list || millionths(share)}`
}
