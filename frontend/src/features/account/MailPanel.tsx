import { Button, Checkbox, Switch } from '@mantine/core'
import { MailX } from 'lucide-react'
import { displaces } from '@/api/problem'
import { ErrorNote } from '@/components/ErrorNote'
import { Notice } from '@/components/Notice'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { ScopesField } from '@/components/ScopesField'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import type { Schemas } from '@/api/schemas'
import type { Tone } from '@/lib/tone'
import { MailAddress } from './MailAddress'
import { useMail, useMailChange, useTestMessage, type MailSettings } from './useMail'
import classes from './account.module.css'

/** Which events reach the person by e-mail, where, and what became of the last message. */
export function MailPanel({ confirm }: { confirm: string | undefined }) {
  const { data, error, refetch } = useMail()
  const change = useMailChange()
  if (displaces(error, data)) return <ErrorNote error={error} retry={() => void refetch()} />
  if (!data) return <LinesSkeleton lines={6} />
  const onOff = (
    <Switch
      label="Send me e-mail"
      checked={data.on}
      onChange={(event) => change.mutate({ on: event.currentTarget.checked })}
    />
  )
  return (
    <Panel title="Events by e-mail" beside={onOff}>
      <p className="note">
        Events of five minutes are one message; those marked “at once” do not wait. You never hear of what you did
        yourself.
      </p>
      {!data.available && (
        <Notice role="note" tone="attention" icon={MailX}>
          This server sends no e-mail: its operator has to set <code>WALLE_MAIL_URL</code> and{' '}
          <code>WALLE_MAIL_FROM</code>. What you choose here is kept until then.
        </Notice>
      )}
      <MailAddress settings={data} confirm={confirm} />
      <Kinds settings={data} onChange={(kinds) => change.mutate({ kinds })} />
      <ScopesField
        label="Where"
        placeholder="Wherever you may read"
        disabled={!data.on}
        value={data.scopes}
        onChange={(scopes) => change.mutate({ scopes })}
      />
      <Messages settings={data} />
    </Panel>
  )
}

type KindsProps = { settings: MailSettings; onChange: (kinds: MailSettings['kinds']) => void }

function Kinds({ settings, onChange }: KindsProps) {
  const { kinds, known_kinds: known, on } = settings
  return (
    <Checkbox.Group label="Which events" value={kinds} onChange={(chosen) => onChange(chosen)}>
      <div className={classes.kinds}>
        {known.map(({ kind, title, urgent }) => (
          <Checkbox key={kind} value={kind} disabled={!on} label={urgent ? `${title} (at once)` : title} />
        ))}
      </div>
    </Checkbox.Group>
  )
}

const STATES: Record<Schemas['MailState'], { tone: Tone; word: string }> = {
  pending: { tone: 'running', word: 'on its way' },
  sending: { tone: 'running', word: 'being sent' },
  sent: { tone: 'ok', word: 'sent' },
  failed: { tone: 'bad', word: 'not sent' },
  dropped: { tone: 'none', word: 'not needed any more' },
}

function Messages({ settings }: { settings: MailSettings }) {
  const { available, address, last } = settings
  const test = useTestMessage()
  const state = last && STATES[last.state]
  return (
    <div className={classes.head}>
      <Button
        variant="default"
        disabled={!available || address === ''}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send me a test message
      </Button>
      {last && state && (
        <div className={classes.last}>
          <span>Last message, {last.purpose}:</span>
          <StatusMark tone={last.error && state.tone === 'running' ? 'attention' : state.tone}>{state.word}</StatusMark>
          <RelativeTime at={last.finished_at ?? last.created_at} />
          {last.error && <span>{last.error}</span>}
        </div>
      )}
    </div>
  )
}
