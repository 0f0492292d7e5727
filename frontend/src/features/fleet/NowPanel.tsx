import { Link } from '@tanstack/react-router'
import { Gauges } from '@/components/Gauges'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ShareBar } from '@/components/ShareBar'
import { StatusMark } from '@/components/StatusMark'
import { count, percent, rate, share } from '@/lib/format'
import type { FleetSnapshot } from './useFleet'
import classes from './fleet.module.css'

/** The number of devices, and their activity per second. */
export function NowPanel({ snapshot, app }: { snapshot: FleetSnapshot; app: string | undefined }) {
  const countedAt = snapshot.devices.counted_at
  const beside = countedAt && (
    <span className="note">
      Devices counted <RelativeTime at={countedAt} />
    </span>
  )
  return (
    <Panel title="Now" beside={beside}>
      <Figures {...snapshot} app={app} />
    </Panel>
  )
}

function Figures({ devices, rates, app }: FleetSnapshot & { app: string | undefined }) {
  const { known, online, with_tasks } = devices
  return (
    <div className={classes.now}>
      <div>
        <div className={classes.online}>
          <span>
            <strong data-figure="online">{count(online)}</strong> online of{' '}
            <Link to="/devices" search={{ app, revoked: 'false' }}>
              <span data-figure="known">{count(known)}</span> devices
            </Link>
          </span>
          <span className="note">{percent(share(online, known))}</span>
        </div>
        <ShareBar part={online} whole={known} tone="ok" label="online" />
        <p className="note">
          <span data-figure="with-tasks">{count(with_tasks)}</span> have tasks installed
        </p>
      </div>
      <div>
        <Gauges isLarge figures={ratesOf(rates)} data-rates-at={rates.at} />
        <p className="note">Rates are means of the last ten seconds.</p>
      </div>
    </div>
  )
}

function ratesOf({ check_ins, offers, installs, failures }: FleetSnapshot['rates']) {
  return {
    'Check-ins/s': rate(check_ins),
    'Offers/s': rate(offers),
    'Installs/s': rate(installs),
    'Failures/s': failures > 0 ? <StatusMark tone="bad">{rate(failures)}</StatusMark> : rate(failures),
  }
}
