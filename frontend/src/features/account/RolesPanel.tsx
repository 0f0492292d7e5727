import { useQuery } from '@tanstack/react-query'
import { displaces } from '@/api/problem'
import { LASTING, reading } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { PlaceLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { Table, TextCell } from '@/components/Table'

/** Who the person is, and what they may do where. */
export function RolesPanel() {
  const { data, error, refetch } = useQuery({ ...reading('/api/v1/me'), ...LASTING })
  if (displaces(error, data)) return <ErrorNote error={error} retry={() => void refetch()} />
  if (!data) return <LinesSkeleton lines={3} />
  return (
    <Panel title={`Roles of ${data.username}`}>
      {data.staff && <p className="note">You are site staff: you may do everything in all scenarios and apps.</p>}
      {data.scopes.length === 0 && !data.staff && (
        <p className="note">
          You have no role in any scenario or app. Ask an owner or site staff to give {data.username} a role.
        </p>
      )}
      {data.scopes.length > 0 && (
        <Table label="Your roles" columns={['Where', 'Roles', 'What you may do there']} minWidth={480}>
          {data.scopes.map(({ scope, roles, permissions }) => (
            <tr key={scope}>
              <th scope="row">
                <PlaceLink scope={scope} />
              </th>
              <td>{roles.join(', ')}</td>
              <TextCell>{permissions.join(', ')}</TextCell>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}
