import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { reading } from '@/api/reading'
import { ButtonLink } from '@/components/ButtonLink'
import { Fact, Facts } from '@/components/Facts'
import { PageLink } from '@/components/links'
import { Page, Panel, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { usePages } from '@/hooks/usePages'
import { count } from '@/lib/format'
import { duration } from '@/lib/time'
import { FirstDevice } from './FirstDevice'
import { KeysPanel } from './KeysPanel'
import { MembersPanel } from './MembersPanel'
import { useKeys } from './useKeys'

/** An app: how its devices check in, and who may do what there. */
export function AppPage() {
  const { app } = useParams({ from: '/apps/$app' })
  const found = useQuery(reading('/api/v1/apps/{app}', { path: { app } }))
  const keys = useKeys(app)
  const devices = usePages('/api/v1/devices', { query: { app, limit: 1 } })
  const hasNone = !devices.isLoading && !devices.error && devices.rows.length === 0
  const { data } = found
  const header = (
    <PageHeader
      title={app}
      above={[<PageLink key="all" to="/apps" />]}
      beside={data && <span className="muted">{data.name}</span>}
      actions={
        <ButtonLink to="/devices" search={{ app }} variant="default">
          Devices
        </ButtonLink>
      }
    />
  )
  return (
    <Page header={header} found={found}>
      {hasNone && <FirstDevice app={app} />}
      <PanelRow>
        <Panel title="Devices">
          {data ? (
            <Facts>
              <Fact name="Check in every">{duration(data.check_in_interval)}</Fact>
              <Fact name="New devices per hour">
                {data.enrolment_limit === null
                  ? 'as many as the server allows'
                  : `${count(data.enrolment_limit)} per gateway process`}
              </Fact>
              <Fact name="Created">
                <RelativeTime at={data.created_at} />
              </Fact>
            </Facts>
          ) : (
            <LinesSkeleton lines={3} />
          )}
        </Panel>
        <MembersPanel place={{ kind: 'app', slug: app }} />
      </PanelRow>
      <KeysPanel app={app} found={keys} />
    </Page>
  )
}
