import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ErrorNote } from '@/components/ErrorNote'
import { LinesSkeleton } from '@/components/Skeletons'
import { usePages } from '@/hooks/usePages'
import { count, plural } from '@/lib/format'
import { scenariosQueryOf } from './search'
import classes from './tasks.module.css'

type Props = { q: string | undefined; scenario: string | undefined }

/** The scenarios that match the search; choosing one restricts the tasks. */
export function ScenarioList({ q, scenario }: Props) {
  const found = usePages('/api/v1/scenarios', { query: scenariosQueryOf({ q }) })
  const { rows, error, isLoading, refetch, hasMore, isLoadingMore, loadMore } = found
  return (
    <nav aria-label="Scenarios" className={classes.scenarios}>
      <h2>Scenarios</h2>
      {error && <ErrorNote error={error} retry={refetch} />}
      {isLoading && <LinesSkeleton lines={4} />}
      {!isLoading && !error && rows.length === 0 && (
        <p className="muted">
          {q ? `No scenario has “${q}” in its name or description.` : 'There is no scenario yet.'}
        </p>
      )}
      <ul>
        {rows.length > 0 && (
          <li>
            <Link
              to="/tasks"
              search={q ? { q } : {}}
              activeOptions={{ exact: true }}
              replace
              className={classes.scenario}
              aria-current={scenario ? undefined : 'true'}
            >
              All
            </Link>
          </li>
        )}
        {rows.map(({ slug, description, task_count: tasks }) => (
          <li key={slug}>
            <Link
              to="/tasks"
              search={{ scenario: slug }}
              replace
              className={classes.scenario}
              aria-current={slug === scenario ? 'true' : undefined}
            >
              <span className={classes.scenarioName}>
                {slug}
                <span className="muted" aria-label={plural(tasks, 'task')}>
                  {count(tasks)}
                </span>
              </span>
              {description && <span className={classes.description}>{description}</span>}
            </Link>
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
          Show more
        </Button>
      )}
    </nav>
  )
}
