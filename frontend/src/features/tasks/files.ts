import { bytes, plural } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'

type Sized = { kind: 'shared' | 'exclusive'; size: number | null; variant_count: number }

/** "4 shared, 41 KiB; 1 exclusive with 4 variants" */
export function fileSums(files: readonly Sized[]): string {
  const shared = files.filter(({ kind }) => kind === 'shared')
  const exclusive = files.filter(({ kind }) => kind === 'exclusive')
  const size = shared.reduce((sum, file) => sum + (file.size ?? 0), 0)
  const variants = exclusive.reduce((sum, file) => sum + file.variant_count, 0)
  const own = `${exclusive.length} exclusive with ${plural(variants, 'variant')}`
  return `${shared.length} shared, ${bytes(size)}; ${exclusive.length ? own : 'none exclusive'}`
}

/** Where the content of a shared file is. */
export function contentAddress({ scenario, task }: TaskPath, version: string, path: string): string {
  const query = new URLSearchParams({ path }).toString()
  return `/api/v1/tasks/${scenario}/${task}/versions/${encodeURIComponent(version)}/files?${query}`
}
