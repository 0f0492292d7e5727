/** Links to pages. */
import { Link, useRouter, type RegisteredRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { taskPath } from '@/lib/taskName'

/** A link to a page of the navigation, with its title. */
export function PageLink({ to }: { to: keyof RegisteredRouter['routesByPath'] }) {
  const { staticData } = useRouter().routesByPath[to].options
  return <Link to={to}>{staticData?.page?.title}</Link>
}

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

/** A link to the page of a scope, such as "scenario:camera". */
export function PlaceLink({ scope }: { scope: string }) {
  const [kind = '', slug = ''] = scope.split(':')
  return kind === 'app' ? (
    <Link to="/apps/$app" params={{ app: slug }}>
      app {slug}
    </Link>
  ) : (
    <Link to="/scenarios/$scenario" params={{ scenario: slug }}>
      scenario {slug}
    </Link>
  )
}
