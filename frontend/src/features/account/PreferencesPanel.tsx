import { Select } from '@mantine/core'
import { usePrefer, useUser } from '@/app/session/SessionGate'
import { Panel } from '@/components/Page'
import { refusedToast } from '@/components/toasts'
import { usePreferenceChange } from '@/hooks/usePreferences'
import type { Schemas } from '@/api/schemas'
import classes from './account.module.css'

const THEMES = [
  { value: '', label: 'As this browser has it' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'As the system' },
]
const SHOWN = 200

/** How the person sees the dashboard, in every browser. */
export function PreferencesPanel() {
  const { theme, time_zone: zone } = useUser().preferences
  const change = usePreferenceChange(usePrefer())
  const put = (body: Schemas['PatchedPreferencesChangeRequest']) => {
    change.mutate(body, { onError: (error) => refusedToast('Your choice was not kept', error) })
  }
  const own = `As this browser has it (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`
  return (
    <Panel title="Appearance and time">
      <p className="note">Kept with your account: it is the same in every browser.</p>
      <div className={classes.fields}>
        <Select
          label="Theme"
          data={THEMES}
          value={theme}
          allowDeselect={false}
          onChange={(chosen) => put({ theme: (chosen ?? '') as typeof theme })}
        />
        <Select
          label="Time zone"
          data={Intl.supportedValuesOf('timeZone')}
          value={zone || null}
          placeholder={own}
          clearable
          searchable
          limit={SHOWN}
          nothingFoundMessage="No such time zone"
          onChange={(chosen) => put({ time_zone: chosen ?? '' })}
        />
      </div>
    </Panel>
  )
}
