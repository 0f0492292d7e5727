import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CopyDigest } from '@/components/CopyText'
import { EmptyState } from '@/components/EmptyState'
import { TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { Table } from '@/components/Table'
import type { DeviceDetail } from './useDevice'
import { useVersionName } from './useVersionName'

export function InstalledPanel({ device: { app, installed } }: { device: DeviceDetail }) {
  return (
    <Panel title="Installed tasks">
      {installed.length === 0 && (
        <EmptyState title="No task is installed">
          The device installs tasks when a release selects it; see the explanation below.
        </EmptyState>
      )}
      {installed.length > 0 && (
        <Table label="Installed tasks" columns={['Task', 'Version', 'Manifest', 'Since']}>
          {installed.map(({ task, manifest, since }) => (
            <tr key={task}>
              <th scope="row">
                <TaskLink task={task} />
              </th>
              <td>
                <VersionName app={app} task={task} manifest={manifest} />
              </td>
              <td>
                <CopyDigest digest={manifest} label={`manifest of ${task}`} />
              </td>
              <td>
                <RelativeTime at={since} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}

function VersionName({ app, task, manifest }: { app: string; task: string; manifest: string }) {
  const { version, isLoading } = useVersionName(task, manifest)
  if (isLoading) return <Skeleton height={12} width={48} />
  if (version === null) return <span className="muted">unknown</span>
  return (
    <Link to="/devices" search={{ app, task, version }} title="Devices with this version">
      {version}
    </Link>
  )
}
