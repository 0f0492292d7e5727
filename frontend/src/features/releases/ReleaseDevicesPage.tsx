import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import { DataTable, type Column } from '@/components/DataTable'
import { EmptyState } from '@/components/EmptyState'
import { PageLink, ReleaseLink } from '@/components/links'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import { StatusMark } from '@/components/StatusMark'
import { useFilters } from '@/hooks/useFilters'
import { useRights } from '@/hooks/useRights'
import { audienceWords, hasCallers } from '@/lib/audience'
import { factText, systemText } from '@/lib/facts'
import { stringifySearch } from '@/lib/search'
import { stageName } from '@/lib/stageName'
import { readFigures } from './figures'
import { statusOf, type ReleaseDevice, type ReleaseDevicesSearch } from './releaseDevices'
import { ReleaseDevicesFilters } from './ReleaseDevicesFilters'
import { ReleaseLoader } from './ReleaseLoader'
import { useReleaseDevices } from './useReleaseDevices'

const route = getRouteApi('/releases/$id/devices')

/** The devices that a release selected, or of a pipeline the callers, with their outcomes. */
export function ReleaseDevicesPage() {
  const { id } = route.useParams()
  return (
    <ReleaseLoader id={id} title={`Devices of release ${id}`}>
      {({ release }) => <Shown release={release} />}
    </ReleaseLoader>
  )
}

function Shown({ release }: { release: ReleaseDetail }) {
  const { id, app, task, version, kind } = release
  const who = audienceWords(kind)
  const [search] = useFilters<ReleaseDevicesSearch>()
  const found = useReleaseDevices(id, search)
  const navigate = useNavigate()
  const opens = useRights().may('view', `app:${app}`)
  const columns = useMemo(() => columnsOf(release.stages, kind, opens ? app : null), [release.stages, kind, opens, app])
  const header = (
    <PageHeader
      title={`${who.Many} of release ${id}`}
      above={[
        <PageLink to="/releases" />,
        <ReleaseLink release={id}>
          {task} {version}
        </ReleaseLink>,
      ]}
    >
      <ReleaseDevicesFilters release={release} />
    </PageHeader>
  )
  return (
    <Page header={header} fills>
      <DataTable
        label={`${who.Many} of the release`}
        columns={columns}
        rowKey={({ device }) => device}
        {...(opens &&
          !hasCallers(kind) && {
            onOpen: ({ device }: ReleaseDevice) =>
              void navigate({ to: '/devices/$app/$device', params: { app, device } }),
          })}
        empty={<Nothing search={search} release={release} />}
        minWidth={720}
        {...found}
      />
    </Page>
  )
}

function Nothing({ search, release }: { search: ReleaseDevicesSearch; release: ReleaseDetail }) {
  const { one, many, Many } = audienceWords(release.kind)
  const { deletedAt } = readFigures(release.figures)
  if (deletedAt !== null) {
    return (
      <EmptyState title={`The list of ${many} is deleted`}>
        That was <RelativeTime at={deletedAt} />, long after the release had ended. Its figures are kept.
      </EmptyState>
    )
  }
  if (stringifySearch(search) !== '') {
    return (
      <EmptyState title={`No ${one} fits the filters`}>
        <Link to="/releases/$id/devices" params={{ id: String(release.id) }}>
          Show all selected {many}
        </Link>
      </EmptyState>
    )
  }
  if (release.position === null) {
    return (
      <EmptyState title={`No ${one} yet`}>
        {Many} are selected from the first stage on. This release has not reached it.
      </EmptyState>
    )
  }
  return <EmptyState title={`No ${one} is known`}>No {one} was selected.</EmptyState>
}

/** `app` is set if the person may see the app's devices; those that are in its registry then are linked. */
function columnsOf(stages: ReleaseDetail['stages'], kind: string, app: string | null): Column<ReleaseDevice>[] {
  const ofDevices: Column<ReleaseDevice>[] = [
    { key: 'version', header: 'App version', width: '96px', render: ({ facts }) => factText(facts, 'app_version') },
    { key: 'system', header: 'System', width: '120px', render: ({ facts }) => systemText(facts) },
  ]
  const ofCallers: Column<ReleaseDevice>[] = [
    { key: 'is', header: 'Is', width: '120px', render: ({ registered }) => (registered ? 'a device' : 'a user') },
  ]
  return [
    {
      key: 'device',
      header: audienceWords(kind).One,
      width: 'minmax(190px, 1fr)',
      render: ({ device, registered }) =>
        app === null || !registered ? (
          <span className="mono">{device}</span>
        ) : (
          <Link className="mono" to="/devices/$app/$device" params={{ app, device }} tabIndex={-1}>
            {device}
          </Link>
        ),
    },
    {
      key: 'became',
      header: 'Status',
      width: '160px',
      render: (device) => {
        const { tone, word } = statusOf(device)
        return <StatusMark tone={tone}>{word}</StatusMark>
      },
    },
    {
      key: 'why',
      header: 'Reason',
      width: 'minmax(160px, 1.6fr)',
      render: ({ error_class: error, message, deferral }) => {
        const why = message || error || deferral
        return <span title={why}>{why}</span>
      },
    },
    {
      key: 'stage',
      header: 'Selected in',
      width: '112px',
      render: (row) => {
        const stage = stages.find(({ position }) => position === row.stage)
        return stage ? stageName(stage) : ''
      },
    },
    ...(hasCallers(kind) ? (app === null ? [] : ofCallers) : ofDevices),
    {
      key: 'drawn',
      header: 'Selected',
      width: '104px',
      wide: true,
      render: (row) => <RelativeTime at={row.drawn_at} />,
    },
    {
      key: 'settled',
      header: 'Outcome',
      width: '104px',
      wide: true,
      render: (row) => <RelativeTime at={row.settled_at} empty="–" />,
    },
  ]
}
