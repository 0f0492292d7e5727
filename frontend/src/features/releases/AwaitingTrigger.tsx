import { Link } from '@tanstack/react-router'
import { Panel } from '@/components/Page'
import { count, plural } from '@/lib/format'
import { triggerText } from '@/lib/trigger'
import type { Figures } from './figures'

/** What triggers a stream task, and on how many devices that has not occurred: they wait, and are not silent. */
export default function AwaitingTrigger({ release, figures }: { release: number; figures: Figures }) {
  const { awaiting_trigger: awaiting, installed } = figures.treatment
  return (
    <Panel title="Waiting for the condition">
      <p className="note">
        The task runs <code>{triggerText(figures.trigger)}</code>.{' '}
        {awaiting === 0 ? (
          <>No device waits for that: those that have installed it and check in have an outcome.</>
        ) : (
          <>
            On{' '}
            <Link
              to="/releases/$id/devices"
              params={{ id: String(release) }}
              search={{ became: 'awaiting_trigger' }}
              data-count="awaiting_trigger"
            >
              <strong>{count(awaiting)}</strong>
            </Link>{' '}
            of {plural(installed, 'device')} with this version, that has not occurred yet. Who waits for it checks in
            and has nothing to report: such a device is not silent, and the verdict does not count it.
          </>
        )}
      </p>
    </Panel>
  )
}
