import { PushPanel } from '@/components/PushPanel'

/** The next step of a scenario without tasks: pushing the first one. */
export function FirstPush({ scenario }: { scenario: string }) {
  return (
    <PushPanel title="Next: push a first task" pushing={{ scenario, task: 'TASK', version: '1.0.0', begins: true }} />
  )
}
