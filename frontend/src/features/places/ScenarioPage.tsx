import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { reading } from '@/api/reading'
import { ButtonLink } from '@/components/ButtonLink'
import { CopyText } from '@/components/CopyText'
import { Fact, Facts } from '@/components/Facts'
import { PageLink } from '@/components/links'
import { Page, Panel, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RelativeTime } from '@/components/RelativeTime'
import { LinesSkeleton } from '@/components/Skeletons'
import { plural } from '@/lib/format'
import { gitAddress } from '@/lib/pushing'
import { FirstPush } from './FirstPush'
import { MembersPanel } from './MembersPanel'

/** A scenario: its repository, and who may do what there. */
export function ScenarioPage() {
  const { scenario } = useParams({ from: '/scenarios/$scenario' })
  const found = useQuery(reading('/api/v1/scenarios/{scenario}', { path: { scenario } }))
  const { data } = found
  const header = (
    <PageHeader
      title={scenario}
      above={[<PageLink key="all" to="/scenarios" />]}
      actions={
        <ButtonLink to="/tasks" search={{ scenario }} variant="default">
          Tasks
        </ButtonLink>
      }
    />
  )
  return (
    <Page header={header} found={found}>
      {data?.task_count === 0 && <FirstPush scenario={scenario} />}
      <PanelRow>
        <Panel title="Repository">
          {data ? (
            <Facts>
              <Fact name="Address for git">
                <CopyText label="address for git" text={gitAddress(location.origin, scenario)} />
              </Fact>
              {data.description && <Fact name="About">{data.description}</Fact>}
              <Fact name="Tasks">
                <Link to="/tasks" search={{ scenario }}>
                  {plural(data.task_count, 'task')}
                </Link>
              </Fact>
              <Fact name="Releases">
                {data.approval_required ? 'need approval by a second person' : 'need no approval'}
              </Fact>
              <Fact name="Created">
                <RelativeTime at={data.created_at} />
              </Fact>
            </Facts>
          ) : (
            <LinesSkeleton lines={4} />
          )}
        </Panel>
        <MembersPanel place={{ kind: 'scenario', slug: scenario }} />
      </PanelRow>
    </Page>
  )
}
