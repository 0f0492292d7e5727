import { CopyText } from '@/components/CopyText'
import { Panel } from '@/components/Page'
import { TokenButton } from '@/components/TokenButton'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { pushingWithGit, signingIn } from '@/lib/pushing'
import classes from './places.module.css'

/** The next step of a scenario without tasks: pushing the first one. */
export function FirstPush({ scenario }: { scenario: string }) {
  const refusal = missing(useRights(), 'push', `scenario:${scenario}`)
  const pushing = { origin: location.origin, scenario, task: 'TASK', version: '1.0.0', begins: true }
  const steps = [{ title: 'Once in a terminal', command: signingIn(location.origin) }, ...pushingWithGit(pushing)]
  return (
    <Panel title="Next: push a first task" beside={refusal === null && <TokenButton />}>
      {refusal === null ? (
        <ol className={classes.steps}>
          {steps.map(({ title, command }) => (
            <li key={title}>
              <span>{title}</span>
              <CopyText block text={command} label={`command: ${title}`} />
            </li>
          ))}
        </ol>
      ) : (
        <p className="note">{refusal}</p>
      )}
    </Panel>
  )
}
