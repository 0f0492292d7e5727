import { CopyText } from './CopyText'
import classes from './commandSteps.module.css'

/** One without a command says all in its title; `label` is a shorter one for screen readers. */
type Step = { title: string; command?: string; label?: string }

/** What to do in a terminal, one step after the other. */
export function CommandSteps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className={classes.steps}>
      {steps.map((step, index) => (
        <li key={index}>
          <Titled {...step} />
        </li>
      ))}
    </ol>
  )
}

/** A command that is no step of several. */
export function LoneCommand(step: Step) {
  return (
    <div className={classes.alone}>
      <Titled {...step} />
    </div>
  )
}

function Titled({ title, command, label = title }: Step) {
  return (
    <>
      <span>{title}</span>
      {command !== undefined && <CopyText block text={command} label={`command: ${label}`} />}
    </>
  )
}
