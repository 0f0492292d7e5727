import { Link } from '@tanstack/react-router'
import { Fact, Facts } from '@/components/Facts'
import { Panel } from '@/components/Page'
import type { Placed } from './placed'

/** What of a workflow runs on devices and what in the cloud, by the plan that its version was made of. */
export function PlacedPanel({ scenario, placed }: { scenario: string; placed: Placed }) {
  const { device, cloud, promises, placement, workflow } = placed
  return (
    <Panel title="What runs where" beside={<PlacementLink {...{ scenario, placement, workflow }} />}>
      <Facts>
        <Fact name="On the device">{device.join(', ') || 'nothing'}</Fact>
        <Fact name="In the cloud">{cloud.join(', ') || 'nothing'}</Fact>
        <Fact name="Its plan promises">{promises.join(', ')}</Fact>
      </Facts>
    </Panel>
  )
}

function PlacementLink({
  scenario,
  placement,
  workflow,
}: { scenario: string } & Pick<Placed, 'placement' | 'workflow'>) {
  if (placement === null) return <span className="note">applied from files</span>
  if (workflow === null) return <span className="note">{`placement #${placement}`}</span>
  return (
    <Link
      to="/placements/$scenario/$workflow"
      params={{ scenario, workflow }}
      search={{ placement: String(placement) }}
    >
      {`Placement #${placement}`}
    </Link>
  )
}
