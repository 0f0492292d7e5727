import { Button, Checkbox, Modal, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { keyOf, reading, type RowOf } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { RelativeTime } from '@/components/RelativeTime'
import { refusedToast } from '@/components/toasts'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import { inWords } from './delivery'
import classes from './task.module.css'

const OF_SCENARIO = '/api/v1/scenarios/{scenario}/apps'
const ONE = '/api/v1/apps/{app}/scenarios/{scenario}'
const MOST = 200

type Grant = RowOf<typeof OF_SCENARIO>

/** The apps that a scenario may deliver to; owners of an app grant and withdraw that here. */
export function Delivery({ scenario }: { scenario: string }) {
  const [opened, setOpened] = useState(false)
  const { data, error, refetch } = useQuery(reading(OF_SCENARIO, { path: { scenario }, query: { limit: MOST } }))
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />
  if (!data) return null
  return (
    <>
      <span data-delivers-to={data.results.map(({ app }) => app).join(' ')}>{inWords(data.results)}</span>
      <Button variant="default" size="compact-sm" onClick={() => setOpened(true)}>
        Delivery
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Apps that ${scenario} may deliver to`}>
        <div className={classes.lifting}>
          {data.results.map((grant) => (
            <Granted key={grant.app} grant={grant} />
          ))}
          {data.results.length > 0 && (
            <p className="note">
              When this permission is revoked, releases in progress pause. Complete releases stay until they are rolled
              back.
            </p>
          )}
          <Allowing scenario={scenario} />
        </div>
      </Modal>
    </>
  )
}

function Granted({
  grant: { app, scenario, complete_early: early, note, granted_by: by, granted_at: at },
}: {
  grant: Grant
}) {
  const refusal = missing(useRights(), 'manage members', `app:${app}`)
  const change = useChange(scenario)
  const path = { app, scenario }
  return (
    <section className={classes.granted} aria-label={`Delivery to ${app}`}>
      <p>
        <strong>{app}</strong>
        {early && ', and may complete releases early'}
        <br />
        <span className="muted">
          allowed by {by} <RelativeTime at={at} />
          {note && `: ${note}`}
        </span>
      </p>
      <GuardedButton
        missing={refusal}
        variant="default"
        color="red"
        loading={change.isPending}
        onClick={() => change.mutate(() => answer(client.DELETE(ONE, { params: { path } })))}
      >
        Revoke
      </GuardedButton>
    </section>
  )
}

/** Offers the apps in which the person may grant it. */
function Allowing({ scenario }: { scenario: string }) {
  const [app, setApp] = useState<string | null>(null)
  const [early, setEarly] = useState(false)
  const [note, setNote] = useState('')
  const rights = useRights()
  const apps = useQuery(reading('/api/v1/apps', { query: { limit: MOST } }))
  const change = useChange(scenario)
  const owned = (apps.data?.results ?? [])
    .map(({ slug }) => slug)
    .filter((slug) => rights.may('manage members', `app:${slug}`))
  if (!apps.data) return null
  if (owned.length === 0)
    return <p className="note">The owners of an app allow scenarios to deliver to it. Ask one of them.</p>
  return (
    <form
      className={classes.lifting}
      onSubmit={(event) => {
        event.preventDefault()
        if (app === null) return
        const body = { complete_early: early, note: note.trim() }
        change.mutate(() => answer(client.PUT(ONE, { params: { path: { app, scenario } }, body })))
      }}
    >
      <Select label="App" description="Apps that you own" data={owned} value={app} onChange={setApp} searchable />
      <Checkbox
        label="May also complete releases early"
        description="Skip what a stage waits for, with a reason that is recorded"
        checked={early}
        onChange={(event) => setEarly(event.currentTarget.checked)}
      />
      <TextInput label="Note" maxLength={500} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      <Button type="submit" disabled={app === null} loading={change.isPending}>
        Allow
      </Button>
    </form>
  )
}

function useChange(scenario: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (send: () => Promise<unknown>) => send(),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(OF_SCENARIO) }),
    onError: (error) => refusedToast(`The delivery permission of ${scenario} was not changed`, error),
  })
}
