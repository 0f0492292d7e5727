import { Button, Select, TextInput } from '@mantine/core'
import { Braces, Search } from 'lucide-react'
import { useRef, useState } from 'react'
import { AppFilter } from '@/components/AppFilter'
import { useSearchKey } from '@/hooks/useSearchKey'
import { useDebouncedText } from '@/hooks/useDebouncedText'
import { Conditions, FactFilter } from './FactFilter'
import { RuleField } from './RuleField'
import type { DevicesSearch } from './search'
import { SeenField } from './SeenField'
import { Suggested } from '@/components/Suggested'
import { useSuggestions } from './useSuggestions'
import classes from './devices.module.css'

type Props = {
  filters: DevicesSearch
  onChange: (change: Partial<DevicesSearch>) => void
  /** Returns the API's error about one of them. */
  fault: (field: string) => string | undefined
}

const REVOKED = [
  { value: 'false', label: 'Not revoked' },
  { value: 'true', label: 'Revoked' },
]

/** The filters of the search for devices, all of which are in the address. */
export function FilterBar({ filters, onChange, fault }: Props) {
  const suggestions = useSuggestions(filters)
  const [ruleOpened, setRuleOpened] = useState(filters.rule !== undefined)
  return (
    <search className={classes.filters} aria-label="Which devices">
      <div className={classes.group}>
        <IdField value={filters.q} error={fault('q')} onCommit={(q) => onChange({ q })} />
        <AppFilter label="App" app={filters.app} error={fault('app')} onChange={(app) => onChange({ app })} />
        <Suggested
          label="App version"
          className={classes.short}
          value={filters.app_version ?? ''}
          suggestions={suggestions.valuesOf('app_version')}
          error={fault('app_version')}
          onCommit={(version) => onChange({ app_version: version || undefined })}
        />
        <Suggested
          label="System"
          className={classes.short}
          value={filters.os ?? ''}
          suggestions={suggestions.valuesOf('os')}
          error={fault('os')}
          onCommit={(os) => onChange({ os: os || undefined })}
        />
        <Suggested
          label="Has task"
          className={classes.field}
          placeholder="scenario/task"
          value={filters.task ?? ''}
          suggestions={suggestions.tasks}
          error={fault('task')}
          onCommit={(task) => onChange({ task: task || undefined, ...(task ? {} : { version: undefined }) })}
        />
        <Suggested
          label="Task version"
          className={classes.short}
          value={filters.version ?? ''}
          suggestions={suggestions.versions}
          error={fault('version')}
          onCommit={(version) => onChange({ version: version || undefined })}
        />
        <SeenField
          label="Seen since"
          value={filters.seen_since}
          error={fault('seen_since')}
          onCommit={(moment) => onChange({ seen_since: moment })}
        />
        <SeenField
          label="Last seen before"
          value={filters.seen_before}
          error={fault('seen_before')}
          onCommit={(moment) => onChange({ seen_before: moment })}
        />
        <Select
          className={classes.field}
          label="Revocation"
          placeholder="Any"
          data={REVOKED}
          value={filters.revoked ?? null}
          clearable
          onChange={(revoked) => onChange({ revoked: (revoked ?? undefined) as DevicesSearch['revoked'] })}
        />
        <FactFilter where={filters.where} suggestions={suggestions} onChange={(where) => onChange({ where })} />
        <Button
          variant="default"
          leftSection={<Braces size={14} />}
          aria-expanded={ruleOpened}
          onClick={() => setRuleOpened(!ruleOpened)}
        >
          Rule
        </Button>
      </div>
      {filters.where && <Conditions where={filters.where} onChange={(where) => onChange({ where })} />}
      {ruleOpened && <RuleField value={filters.rule} error={fault('rule')} onCommit={(rule) => onChange({ rule })} />}
    </search>
  )
}

type IdProps = { value: string | undefined; error: string | undefined; onCommit: (id: string | undefined) => void }

function IdField({ value, error, onCommit }: IdProps) {
  const field = useRef<HTMLInputElement>(null)
  const { text, typeAndCommit } = useDebouncedText(value ?? '', (id) => onCommit(id || undefined))
  useSearchKey(field)
  return (
    <TextInput
      ref={field}
      className={classes.prefix}
      label="Id begins with"
      leftSection={<Search size={14} aria-hidden="true" />}
      rightSection={<kbd className={classes.key}>/</kbd>}
      value={text}
      error={error}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => typeAndCommit(currentTarget.value)}
    />
  )
}
