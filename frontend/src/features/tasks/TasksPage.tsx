import { Pill } from '@mantine/core'
import { Page } from '@/components/Page'
import { PageHeader } from '@/components/PageHeader'
import { SearchField } from '@/components/SearchField'
import { useFilters } from '@/hooks/useFilters'
import { ScenarioCard } from './ScenarioCard'
import { ScenarioList } from './ScenarioList'
import { TaskTable } from './TaskTable'
import type { TasksSearch } from './search'
import classes from './tasks.module.css'

/** Scenarios and their tasks, both filtered by the search. */
export function TasksPage() {
  const [{ q, scenario }, setFilters] = useFilters<TasksSearch>()
  const header = (
    <PageHeader>
      <div className={classes.filters}>
        <SearchField label="Search scenarios and tasks" value={q} onChange={(typed) => setFilters({ q: typed })} />
        {scenario && (
          <Pill
            withRemoveButton
            onRemove={() => setFilters({ scenario: undefined })}
            removeButtonProps={{
              'aria-label': `Show all scenarios, not only ${scenario}`,
              'aria-hidden': false,
              tabIndex: 0,
            }}
          >
            Scenario {scenario}
          </Pill>
        )}
      </div>
    </PageHeader>
  )
  return (
    <Page header={header} fills>
      <div className={classes.browser}>
        <ScenarioList q={q} scenario={scenario} />
        <div className={classes.found}>
          {scenario && <ScenarioCard slug={scenario} />}
          <TaskTable q={q} scenario={scenario} />
        </div>
      </div>
    </Page>
  )
}
