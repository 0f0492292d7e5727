import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { RolesPanel } from './RolesPanel'
import { TokensPanel } from './TokensPanel'

/** The person who is logged in: roles and tokens. */
export function AccountPage() {
  return (
    <Page header={<PageHeader />}>
      <TokensPanel />
      <RolesPanel />
    </Page>
  )
}
