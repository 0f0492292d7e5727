import type { ReactNode } from 'react'
import { useRights } from '@/hooks/useRights'
import { pushingWithGit, signingIn, type Pushing } from '@/lib/pushing'
import { missing } from '@/lib/rights'
import { CommandSteps } from './CommandSteps'
import { Panel } from './Page'
import { TokenButton } from './TokenButton'

type Props = {
  title: string
  pushing: Omit<Pushing, 'origin'>
  /** Content above the commands. */
  above?: ReactNode
  /** Content below them. */
  below?: ReactNode
}

/** The commands that push a version with git, for those who may; others read whom to ask. */
export function PushPanel({ title, pushing, above, below }: Props) {
  const refusal = missing(useRights(), 'push', `scenario:${pushing.scenario}`)
  if (refusal !== null) {
    return (
      <Panel title={title}>
        <p className="note">{refusal}</p>
      </Panel>
    )
  }
  const { origin } = location
  const first = { title: 'Once in a terminal', command: signingIn(origin) }
  return (
    <Panel title={title} beside={<TokenButton />}>
      {above}
      <CommandSteps steps={[first, ...pushingWithGit({ ...pushing, origin })]} />
      {below}
    </Panel>
  )
}
