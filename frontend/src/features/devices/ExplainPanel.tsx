import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { ArrowDownToLine, CircleDashed, CircleHelp, Equal, Trash2 } from 'lucide-react'
import { reading, type Answer } from '@/api/reading'
import type { Release } from '@/api/schemas'
import { EmptyState } from '@/components/EmptyState'
import { ErrorNote } from '@/components/ErrorNote'
import { ReleaseLink, TaskLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { Table, TextCell } from '@/components/Table'
import { releaseCommand } from '@/lib/commands'
import { stateWord } from '@/lib/releaseState'
import { asText, valueText } from '@/lib/json'
import { absoluteTime } from '@/lib/time'
import { useFilters } from '@/hooks/useFilters'
import { BucketBar } from './BucketBar'
import type { DeviceSearch } from './search'
import { SeenField } from './SeenField'
import { useExplanation, type DeviceDetail } from './useDevice'
import classes from './device.module.css'

/** The maximum number of releases in one request of the API. */
const MOST = 200

type Explanation = Answer<'/api/v1/devices/{app}/{device}/explain'>['results'][number]
type Consideration = Explanation['considered'][number]

/** Explains why it is or is not offered each release, decided as at its next check-in, or at one of an earlier moment. */
export function ExplainPanel({ device }: { device: DeviceDetail }) {
  const [{ at }, setFilters] = useFilters<DeviceSearch>()
  const explained = useExplanation({ app: device.app, device: device.device }, at)
  const results = explained.data?.results
  const releases = useReleases(results)
  const isPast = at !== undefined
  return (
    <Panel title={isPast ? 'Why it had these versions' : 'Why it has these versions'}>
      <div className={classes.moment}>
        <SeenField label="At" value={at} error={undefined} onCommit={(moment) => setFilters({ at: moment })} />
        {isPast && (
          <Button variant="default" onClick={() => setFilters({ at: undefined })}>
            Now
          </Button>
        )}
      </div>
      {isPast && explained.data && <Basis explanation={explained.data} />}
      {!isPast && device.revoked_at !== null && (
        <StatusMark tone="attention">Revoked: the device receives nothing until it is reinstated.</StatusMark>
      )}
      {explained.isPending && <LinesSkeleton lines={4} />}
      {explained.error && <ErrorNote error={explained.error} retry={() => void explained.refetch()} />}
      {isPast && results?.length === 0 && explained.data?.unexplained === '' && (
        <p className="note">No release applied to this device then.</p>
      )}
      {!isPast && results?.length === 0 && (
        <EmptyState
          title="No release applies to this device"
          command={releaseCommand(device.app, asText(device.facts.app_version) || undefined)}
        >
          Nothing has been released to its app yet.
        </EmptyState>
      )}
      {results?.map((each) => (
        <OfTask key={each.task} explanation={each} releases={releases} isPast={isPast} />
      ))}
    </Panel>
  )
}

/** From what a past decision is repeated, and what of it is not known as it was. */
function Basis({ explanation }: { explanation: Answer<'/api/v1/devices/{app}/{device}/explain'> }) {
  const { table, released_since: released, said_since: said, facts, deferral, caveats, unexplained } = explanation
  if (unexplained !== '')
    return (
      <StatusMark tone="attention" icon={CircleHelp}>
        {unexplained}
      </StatusMark>
    )
  return (
    <div className={classes.basis}>
      <p className="note">
        By table {table}, in force since {timeOf(released)}. Since {timeOf(said)} the device said:{' '}
        {Object.entries(facts)
          .map(([name, value]) => `${name} ${valueText(value)}`)
          .join(', ')}
        .{deferral !== '' && ` It put off new versions: ${deferral}.`}
      </p>
      {caveats.map((caveat) => (
        <StatusMark key={caveat} tone="attention" icon={CircleHelp}>
          {caveat}
        </StatusMark>
      ))}
    </div>
  )
}

function timeOf(moment: string | null): string {
  return moment === null ? 'nobody knows when' : absoluteTime(Date.parse(moment))
}

/** Returns the considered releases, as far as the person may see them. */
function useReleases(explanations: readonly Explanation[] = []): readonly Release[] {
  const numbers = explanations.flatMap(({ considered }) => considered.map(({ release }) => release))
  const ids = numbers.sort((one, other) => other - one).slice(0, MOST)
  const found = useQuery({
    ...reading('/api/v1/releases', { query: { id: ids.join(), limit: MOST } }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return found.data?.results ?? []
}

type OfTaskProps = { explanation: Explanation; releases: readonly Release[]; isPast: boolean }

function OfTask({ explanation, releases, isPast }: OfTaskProps) {
  const { task, considered } = explanation
  return (
    <section className={classes.explanation} aria-label={task}>
      <div className={classes.explained}>
        <h3>
          <TaskLink task={task} />
        </h3>
        <Change explanation={explanation} isPast={isPast} />
      </div>
      {considered.length === 0 && (
        <span className="muted">No release of this task {isPast ? 'was in force then' : 'is in force'}.</span>
      )}
      {considered.length > 0 && (
        <Table
          label={`Releases of ${task}`}
          columns={['Release', 'Version', 'Effect', { title: 'Reason', is: 'wide' }, 'Bucket']}
        >
          {considered.map((each) => (
            <Row key={each.release} consideration={each} release={releases.find(({ id }) => id === each.release)} />
          ))}
        </Table>
      )}
    </section>
  )
}

function Change({ explanation: { change, release }, isPast }: { explanation: Explanation; isPast: boolean }) {
  switch (change) {
    case 'install':
      return (
        <StatusMark tone="running" icon={ArrowDownToLine}>
          {isPast ? 'Was to install another version' : 'Installs another version at its next check-in'}
        </StatusMark>
      )
    case 'remove':
      return (
        <StatusMark tone="attention" icon={Trash2}>
          {isPast ? 'Was to remove it' : 'Removes it at its next check-in'}
        </StatusMark>
      )
    case 'none':
      return (
        <StatusMark tone="none" icon={release === null ? CircleDashed : Equal}>
          {release === null ? 'No offer' : 'No change'}
        </StatusMark>
      )
  }
}

type RowProps = { consideration: Consideration; release: Release | undefined }

function Row({ consideration, release }: RowProps) {
  const { decides, reason } = consideration
  return (
    <tr data-release={consideration.release}>
      <th scope="row">
        <ReleaseLink release={consideration.release} />
      </th>
      <td>
        {release && (
          <>
            {release.version} <span className="muted">{stateWord(release.state)}</span>
          </>
        )}
      </td>
      <td>
        <StatusMark tone={decides ? 'ok' : 'none'}>{decides ? 'Decides' : 'Does not decide'}</StatusMark>
      </td>
      <TextCell>{reason}</TextCell>
      <td>
        <BucketBar bucket={consideration.bucket} share={consideration.share} />
      </td>
    </tr>
  )
}
