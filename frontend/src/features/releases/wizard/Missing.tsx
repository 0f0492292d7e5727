import { Button } from '@mantine/core'
import { EmptyState } from '@/components/EmptyState'
import { stepTitle, type Step } from './steps'

/** Shown if a step needs the input of another one. */
export function Missing({ what, step, goTo }: { what: string; step: Step; goTo: (step: Step) => void }) {
  return (
    <>
      <EmptyState title={`Choose the ${what} first`}>The choices of this step depend on it.</EmptyState>
      <div>
        <Button onClick={() => goTo(step)}>Go to {stepTitle(step, undefined).toLowerCase()}</Button>
      </div>
    </>
  )
}
