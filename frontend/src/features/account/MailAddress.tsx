import { Button, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem } from '@/api/problem'
import { StatusMark } from '@/components/StatusMark'
import { useFilters } from '@/hooks/useFilters'
import type { AccountSearch } from './search'
import { useAddressChange, useConfirmation, type MailSettings } from './useMail'
import classes from './account.module.css'

type Props = {
  settings: MailSettings
  /** What the link carried that has led here. */
  confirm: string | undefined
}

/** The person's address; another one counts once its link was followed. */
export function MailAddress({ settings, confirm }: Props) {
  const { available, address, new_address: awaited } = settings
  const [typed, setTyped] = useState<string | null>(null)
  const change = useAddressChange(() => setTyped(null))
  useConfirmed(confirm)
  const value = typed ?? (awaited || address)
  const isNew = value.trim() !== address
  return (
    <form
      className={classes.address}
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(value.trim())
      }}
    >
      <TextInput
        label="Your address"
        type="email"
        autoComplete="email"
        maxLength={254}
        placeholder="ada@example.com"
        value={value}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={change.error && saying(change.error)}
      />
      <Button
        type="submit"
        variant="default"
        disabled={!isNew || (!available && value.trim() !== '')}
        loading={change.isPending}
      >
        {value.trim() === '' ? 'Remove' : awaited === value.trim() ? 'Send the link again' : 'Send a link'}
      </Button>
      {awaited !== '' && (
        <StatusMark tone="attention">waits until you follow the link that was sent to {awaited}</StatusMark>
      )}
    </form>
  )
}

/** Confirms the address once with what the page's address carries, and takes that out of it. */
function useConfirmed(confirm: string | undefined) {
  const [, setFilters] = useFilters<AccountSearch>()
  const { mutate } = useConfirmation(() => setFilters({ confirm: undefined }))
  const sent = useRef<string>(undefined)
  useEffect(() => {
    if (confirm === undefined || sent.current === confirm) return
    sent.current = confirm
    mutate(confirm)
  }, [confirm, mutate])
}

function saying(error: Error): string {
  const atField = error instanceof ApiProblem ? error.about('address') : undefined
  return atField ?? error.message
}
