import { Button, NumberInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, client } from '@/api/client'
import { ApiProblem } from '@/api/problem'
import { keyOf } from '@/api/reading'
import { ErrorNote } from '@/components/ErrorNote'
import { NameField } from './NameField'
import { NewPlaceButton } from './NewPlaceButton'
import classes from './places.module.css'

const INTERVAL_S = 60

/** Registers an app, whose page then says how devices come to it. */
export function NewAppButton() {
  return (
    <NewPlaceButton kind="app">
      <AppForm />
    </NewPlaceButton>
  )
}

function AppForm() {
  const [slug, setSlug] = useState('')
  const [name, setName] = useState('')
  const [interval, setInterval] = useState<number | string>(INTERVAL_S)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const making = useMutation({
    mutationFn: () => {
      const body = { slug: slug.trim(), name: name.trim(), check_in_interval: Number(interval) }
      return answer(client.POST('/api/v1/apps', { body }))
    },
    onSuccess: async ({ slug: app }) => {
      void queries.invalidateQueries({ queryKey: keyOf('/api/v1/apps') })
      await navigate({ to: '/apps/$app', params: { app } })
    },
  })
  const problem = making.error instanceof ApiProblem ? making.error : null
  const [ofSlug, ofName, ofInterval] = ['slug', 'name', 'check_in_interval'].map((field) => problem?.about(field))
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        making.mutate()
      }}
    >
      <NameField
        label="Name in addresses and commands"
        placeholder="shop"
        value={slug}
        error={ofSlug}
        onChange={(typed) => {
          setSlug(typed)
          making.reset()
        }}
      />
      <TextInput
        label="Name for people"
        placeholder="Shop for Android"
        maxLength={80}
        value={name}
        error={ofName}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NumberInput
        label="Seconds between two check-ins"
        description="Of a device that is idle: new versions reach it no sooner"
        min={1}
        max={86_400}
        allowDecimal={false}
        value={interval}
        error={ofInterval}
        onChange={setInterval}
      />
      {making.error && !ofSlug && !ofName && !ofInterval && <ErrorNote error={making.error} />}
      <Button
        type="submit"
        disabled={slug.trim() === '' || name.trim() === '' || interval === ''}
        loading={making.isPending}
      >
        Create app
      </Button>
    </form>
  )
}
