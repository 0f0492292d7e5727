/** Links to what a page names. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { taskPath } from '@/lib/taskName'

type TaskProps = { task: string; version?: string; className?: string | undefined; children?: ReactNode }

export function TaskLink({ task, version, className, children = task }: TaskProps) {
  return (
    <Link
      to="/tasks/$scenario/$task"
      params={taskPath(task)}
      search={version === undefined ? {} : { version }}
      className={className}
    >
      {children}
    </Link>
  )
}

export function ReleaseLink({ release, children }: { release: number; children?: ReactNode }) {
  return (
    <Link to="/releases/$id" params={{ id: String(release) }}>
      {children ?? `release ${release}`}
    </Link>
  )
}
