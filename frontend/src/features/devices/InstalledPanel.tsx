import { Link } from '@tanstack/react-router'
import { CopyDigest } from '@/components/CopyText'
import { EmptyState } from '@/components/EmptyState'
import { TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { Table } from '@/components/Table'
import type { DeviceDetail } from './useDevice'
import { useVersionNames } from './useVersionNames'

export function InstalledPanel({ device }: { device: DeviceDetail }) {
  const nameOf = useVersionNames(device.installed.map(({ task }) => task))
  return (
    <Panel title="Installed tasks">
      {device.installed.length === 0 && (
        <EmptyState title="It has no task">
          It gets some when a release takes it; the explanation says which.
        </EmptyState>
      )}
      {device.installed.length > 0 && (
        <Table label="Installed tasks" columns={['Task', 'Version', 'Manifest', 'Since']}>
          {device.installed.map(({ task, manifest, since }) => {
            const version = nameOf(task, manifest)
            return (
              <tr key={task}>
                <th scope="row">
                  <TaskLink task={task} />
                </th>
                <td>
                  {version === undefined ? (
                    <span className="muted">unknown</span>
                  ) : (
                    <Link to="/devices" search={{ app: device.app, task, version }} title="Devices that have it">
                      {version}
                    </Link>
                  )}
                </td>
                <td>
                  <CopyDigest digest={manifest} label={`manifest of ${task}`} />
                </td>
                <td>
                  <RelativeTime at={since} />
                </td>
              </tr>
            )
          })}
        </Table>
      )}
    </Panel>
  )
}
