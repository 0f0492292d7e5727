import { Link } from '@tanstack/react-router'
import { Fact, Facts } from '@/components/Facts'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { valueText } from '@/lib/json'
import { written } from './search'
import type { DeviceDetail } from './useDevice'
import classes from './device.module.css'

/**
 * The attributes that the device reports and those its app's backend vouches for; each leads to the devices that share
 * it.
 */
export function FactsPanel({ device }: { device: DeviceDetail }) {
  const vouched = Object.fromEntries(Object.entries(device.trusted).map(([name, value]) => [`user.${name}`, value]))
  return (
    <Panel title="Attributes">
      <Facts>
        <Fact name="First seen">
          <RelativeTime at={device.first_seen} />
        </Fact>
        <Fact name="Last seen">
          <RelativeTime at={device.last_seen} />
        </Fact>
        <Fact name="Vouched for since">
          <RelativeTime at={device.vouched_at} empty="Nobody vouches for it" />
        </Fact>
        {device.deferral !== '' && (
          <Fact name="Puts new versions off">
            {device.deferral}; expects to take them <RelativeTime at={device.deferral_until} />
          </Fact>
        )}
        {device.revoked_at !== null && (
          <Fact name="Revoked">
            <RelativeTime at={device.revoked_at} />
          </Fact>
        )}
      </Facts>
      <FactsOf title="Reported by the device" app={device.app} facts={device.facts} />
      <FactsOf title="Vouched for by the app’s backend" app={device.app} facts={vouched} />
    </Panel>
  )
}

function FactsOf({ title, app, facts }: { title: string; app: string; facts: Record<string, unknown> }) {
  const names = Object.keys(facts).sort()
  return (
    <div>
      <h3 className={classes.heading}>{title}</h3>
      {names.length === 0 && <span className="muted">None</span>}
      <Facts>
        {names.map((name) => (
          <Fact key={name} name={name}>
            <DevicesWith app={app} fact={name} value={valueText(facts[name])} />
          </Fact>
        ))}
      </Facts>
    </div>
  )
}

function DevicesWith({ app, fact, value }: { app: string; fact: string; value: string }) {
  return (
    <Link to="/devices" search={{ app, where: [written({ fact, value })] }} title="Devices with the same value">
      {value}
    </Link>
  )
}
