import { Button, Modal, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { keyOf } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { GuardedButton } from '@/components/GuardedButton'
import { ReleaseLink } from '@/components/links'
import { Notice } from '@/components/Notice'
import { RelativeTime } from '@/components/RelativeTime'
import { doneToast } from '@/components/toasts'
import { useRights } from '@/hooks/useRights'
import { missing } from '@/lib/rights'
import type { TaskPath } from '@/lib/taskName'
import { VERSION, type VersionDetail } from './queries'
import classes from './task.module.css'

type Props = { path: TaskPath; version: string; quarantine: NonNullable<VersionDetail['quarantine']> }

/** Why a version may not be released, and how to lift the quarantine. */
export function QuarantineNote({ path, version, quarantine }: Props) {
  const [lifting, setLifting] = useState(false)
  return (
    <Notice
      role="note"
      tone="bad"
      icon={ShieldAlert}
      action={
        <GuardedButton
          missing={missing(useRights(), 'release', `scenario:${path.scenario}`)}
          variant="default"
          onClick={() => setLifting(true)}
        >
          Lift quarantine
        </GuardedButton>
      }
    >
      <strong>This version may not be released: {quarantine.reason}</strong>
      <p>
        <ReleaseLink release={quarantine.release}>Release {quarantine.release}</ReleaseLink> was rolled back by{' '}
        {quarantine.by} <RelativeTime at={quarantine.at} />. Push a corrected version, or lift the quarantine.
      </p>
      <Modal opened={lifting} onClose={() => setLifting(false)} title={`Lift the quarantine of ${version}`}>
        <Lifting path={path} version={version} onDone={() => setLifting(false)} />
      </Modal>
    </Notice>
  )
}

function Lifting({ path, version, onDone }: { path: TaskPath; version: string; onDone: () => void }) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const lift = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/v1/tasks/{scenario}/{task}/versions/{version}/lift-quarantine', {
          params: { path: { ...path, version } },
          body: { reason },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keyOf(VERSION) })
      doneToast(`${version} may be released again.`)
      onDone()
    },
  })
  return (
    <form
      className={classes.lifting}
      onSubmit={(event) => {
        event.preventDefault()
        lift.mutate()
      }}
    >
      <p>New releases of this version become possible. No device receives it before one is started.</p>
      <Textarea
        label="Why it may be released again"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        autosize
        minRows={2}
        data-autofocus
      />
      {lift.error && <ErrorNote error={lift.error} />}
      <Button type="submit" disabled={reason.trim() === ''} loading={lift.isPending}>
        Lift quarantine
      </Button>
    </form>
  )
}
