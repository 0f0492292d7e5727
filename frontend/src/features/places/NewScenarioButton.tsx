import { Button, Textarea } from '@mantine/core'
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

/** Makes a scenario, whose page then says how to push to it. */
export function NewScenarioButton() {
  return (
    <NewPlaceButton kind="scenario">
      <ScenarioForm />
    </NewPlaceButton>
  )
}

function ScenarioForm() {
  const [slug, setSlug] = useState('')
  const [description, setDescription] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const making = useMutation({
    mutationFn: () => {
      const body = { slug: slug.trim(), description: description.trim() }
      return answer(client.POST('/api/v1/scenarios', { body }))
    },
    onSuccess: async ({ slug: scenario }) => {
      void queries.invalidateQueries({ queryKey: keyOf('/api/v1/scenarios') })
      // They are its owner now.
      void queries.invalidateQueries({ queryKey: keyOf('/api/v1/me') })
      await navigate({ to: '/scenarios/$scenario', params: { scenario } })
    },
  })
  const problem = making.error instanceof ApiProblem ? making.error : null
  const ofSlug = problem?.code === 'scenario-exists' ? problem.message : problem?.about('slug')
  const ofDescription = problem?.about('description')
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        making.mutate()
      }}
    >
      <NameField
        label="Name"
        placeholder="camera"
        value={slug}
        error={ofSlug}
        onChange={(typed) => {
          setSlug(typed)
          making.reset()
        }}
      />
      <Textarea
        label="About"
        placeholder="What its tasks are for"
        maxLength={2000}
        autosize
        minRows={2}
        value={description}
        error={ofDescription}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      {making.error && !ofSlug && !ofDescription && <ErrorNote error={making.error} />}
      <Button type="submit" disabled={slug.trim() === ''} loading={making.isPending}>
        Create scenario
      </Button>
    </form>
  )
}
