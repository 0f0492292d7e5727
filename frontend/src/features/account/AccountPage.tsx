import { Page, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { useFilters } from '@/hooks/useFilters'
import { MailPanel } from './MailPanel'
import { PreferencesPanel } from './PreferencesPanel'
import { RolesPanel } from './RolesPanel'
import { SessionsPanel } from './SessionsPanel'
import { TokensPanel } from './TokensPanel'
import type { AccountSearch } from './search'

/** The person who is logged in: tokens, roles, preferences, e-mail and sessions. */
export function AccountPage() {
  const [{ confirm }] = useFilters<AccountSearch>()
  return (
    <Page header={<PageHeader />}>
      <TokensPanel />
      <PanelRow>
        <RolesPanel />
        <PreferencesPanel />
      </PanelRow>
      <MailPanel confirm={confirm} />
      <SessionsPanel />
    </Page>
  )
}
