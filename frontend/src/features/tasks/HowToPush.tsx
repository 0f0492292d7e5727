import { CopyText } from '@/components/CopyText'
import { Panel } from '@/components/Page'
import { TokenButton } from '@/components/TokenButton'
import { useRights } from '@/hooks/useRights'
import { nextVersion } from '@/lib/nextVersion'
import { missing } from '@/lib/rights'
import type { TaskPath } from '@/lib/taskName'
import { pushingWithGit, pushingWithoutGit, signingIn } from '@/lib/pushing'
import classes from './task.module.css'

/** The commands that push the next version. */
export function HowToPush({ path, newest }: { path: TaskPath; newest: string | undefined }) {
  const version = nextVersion(newest)
  const pushing = { ...path, origin: location.origin, version, begins: newest === undefined }
  const steps = [
    { title: 'Once in a terminal', command: signingIn(location.origin) },
    ...pushingWithGit(pushing),
    { title: 'Or without git, from the task’s folder', command: pushingWithoutGit(pushing) },
  ]
  const refusal = missing(useRights(), 'push', `scenario:${path.scenario}`)
  if (refusal !== null) {
    return (
      <Panel title={`Push ${version}`}>
        <p className={classes.hint}>{refusal}</p>
      </Panel>
    )
  }
  return (
    <Panel title={`Push ${version}`} beside={<TokenButton />}>
      <p className={classes.hint}>
        The server validates a push at once and reports any problems. A version never changes afterwards.
      </p>
      <ol className={classes.steps}>
        {steps.map(({ title, command }) => (
          <li key={title}>
            <span>{title}</span>
            <CopyText block text={command} label={`command: ${title}`} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}
