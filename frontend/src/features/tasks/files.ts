import { bytes, count, plural } from '@/lib/format'
import type { TaskPath } from '@/lib/taskName'

type Sized = { kind: 'shared' | 'exclusive' | 'source' | 'cloud'; size: number | null; variant_count: number }

/** "4 shared, 41 KiB; 1 exclusive with 4 variants" */
export function fileSums(files: readonly Sized[]): string {
  const shared = files.filter(({ kind }) => kind === 'shared')
  const exclusive = files.filter(({ kind }) => kind === 'exclusive')
  const size = shared.reduce((sum, file) => sum + (file.size ?? 0), 0)
  const variants = exclusive.reduce((sum, file) => sum + file.variant_count, 0)
  const own = `${count(exclusive.length)} exclusive with ${plural(variants, 'variant')}`
  return `${count(shared.length)} shared, ${bytes(size)}; ${exclusive.length ? own : 'none exclusive'}`
}

/** Returns the address of the content of a shared file, a source or a file of the cloud half. */
export function contentAddress(task: TaskPath, version: string, path: string): string {
  return `${versionAddress(task, version)}/files?${new URLSearchParams({ path }).toString()}`
}

/** Returns the address of the archive of all files of a version. */
export function archiveAddress(task: TaskPath, version: string): string {
  return `${versionAddress(task, version)}/archive`
}

function versionAddress({ scenario, task }: TaskPath, version: string): string {
  const [first, second, third] = [scenario, task, version].map(encodeURIComponent)
  return `/api/v1/tasks/${first}/${second}/versions/${third}`
}
