import { Select } from '@mantine/core'
import { useRef } from 'react'
import type { ReleaseState } from '@/api/schemas'
import { AppFilter } from '@/components/AppFilter'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { useFilters } from '@/hooks/useFilters'
import { useTaskNames } from '@/hooks/useNames'
import { useSearchKey } from '@/hooks/useSearchKey'
import { withChosen } from '@/lib/choices'
import { RELEASE_STATES, UNDER_WAY } from '@/lib/releaseState'
import { useGauge } from '@/live/live'
import { Chips } from './Chips'
import type { ReleasesSearch } from './search'
import classes from './releases.module.css'

/** Filters of the list: a task, an app, a state; chips show the numbers of releases in progress. */
export function ReleaseFilters() {
  const [{ task, app, state }, setFilters] = useFilters<ReleasesSearch>()
  const search = useRef<HTMLInputElement>(null)
  useSearchKey(search)
  const tasks = useTaskNames()
  return (
    <div className={classes.filters}>
      <Select
        ref={search}
        aria-label="Task"
        placeholder="All tasks"
        searchable
        limit={100}
        clearable
        data={withChosen(tasks, task)}
        value={task ?? null}
        onChange={(chosen) => setFilters({ task: chosen ?? undefined })}
      />
      <AppFilter app={app} onChange={(chosen) => setFilters({ app: chosen })} />
      <Chips
        label="State"
        names={RELEASE_STATES}
        chosen={state}
        onPress={(name) => setFilters({ state: name === state ? undefined : name })}
      >
        {(name) => (
          <>
            <ReleaseStateMark state={name} />
            <UnderWay state={name} />
          </>
        )}
      </Chips>
    </div>
  )
}

/** Shows how many releases are in a temporary state; final states only accumulate. */
function UnderWay({ state }: { state: ReleaseState }) {
  const { value } = useGauge('releases')
  if (!UNDER_WAY.includes(state)) return null
  const found = value?.results.filter((release) => release.state === state).length
  return <strong>{found === undefined ? '' : `${found}${value?.more ? '+' : ''}`}</strong>
}
