import { LoneCommand } from '@/components/CommandSteps'
import { PushPanel } from '@/components/PushPanel'
import { nextVersion } from '@/lib/nextVersion'
import { pushingWithoutGit } from '@/lib/pushing'
import type { TaskPath } from '@/lib/taskName'

/** The commands that push the next version. */
export function HowToPush({ path, newest }: { path: TaskPath; newest: string | undefined }) {
  const version = nextVersion(newest)
  return (
    <PushPanel
      title={`Push ${version}`}
      pushing={{ ...path, version, begins: newest === undefined }}
      above={
        <p className="note">
          The server validates a push at once and reports any problems. A version never changes afterwards.
        </p>
      }
      below={
        <LoneCommand title="Or without git, from the task’s folder" command={pushingWithoutGit({ ...path, version })} />
      }
    />
  )
}
