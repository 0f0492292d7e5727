import type { Stage } from '@/api/schemas'
import { millionths } from './format'

type Named = { kind: Stage['kind']; share: number; id_list: string }

/** "Beta testers", "Gray 20 %". */
export function stageName({ kind, share, id_list: list }: Named): string {
  return `${kind === 'beta' ? 'Beta' : 'Gray'} ${list || millionths(share)}`
}
