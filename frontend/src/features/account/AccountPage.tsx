import { Page, PanelRow } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { PreferencesPanel } from './PreferencesPanel'
import { RolesPanel } from './RolesPanel'
import { SessionsPanel } from './SessionsPanel'
import { TokensPanel } from './TokensPanel'

/** The person who is logged in: tokens, roles, preferences and sessions. */
export function AccountPage() {
  return (
    <Page header={<PageHeader />}>
      <TokensPanel />
      <PanelRow>
        <RolesPanel />
        <PreferencesPanel />
      </PanelRow>
      <SessionsPanel />
    </Page>
  )
}
