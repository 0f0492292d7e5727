import { ActionIcon, Select, Tooltip } from '@mantine/core'
import { ArrowLeftRight } from 'lucide-react'
import { useEffect } from 'react'
import { withChosen } from '@/lib/choices'
import type { useVersions } from '@/hooks/useTaskVersions'
import type { DiffSearch } from './search'
import classes from './diff.module.css'

/** The number of versions listed at once; typing finds the others. */
const SHOWN = 100

type Props = {
  versions: ReturnType<typeof useVersions>
  names: readonly string[]
  from: string | undefined
  to: string | undefined
  onChange: (change: DiffSearch) => void
}

/** A choice of any two versions of the task. */
export function DiffChoice({ versions, names, from, to, onChange }: Props) {
  const { hasMore, isLoadingMore, loadMore, error } = versions
  useEffect(() => {
    // Any version may be chosen, so all have to be loaded.
    if (hasMore && !isLoadingMore && !error) loadMore()
  }, [hasMore, isLoadingMore, error, loadMore])
  const shared = { searchable: true, limit: SHOWN, allowDeselect: false, className: classes.version }
  return (
    <div className={classes.choice}>
      <Select
        {...shared}
        label="From"
        data={withChosen(names, from)}
        value={from ?? null}
        onChange={(version) => onChange({ from: version ?? undefined, to })}
      />
      <Tooltip label="Swap">
        <ActionIcon
          variant="default"
          size={32}
          aria-label="Swap the two versions"
          disabled={!from || !to}
          onClick={() => onChange({ from: to, to: from })}
        >
          <ArrowLeftRight size={14} aria-hidden="true" />
        </ActionIcon>
      </Tooltip>
      <Select
        {...shared}
        label="To"
        data={withChosen(names, to)}
        value={to ?? null}
        onChange={(version) => onChange({ from, to: version ?? undefined })}
      />
    </div>
  )
}
