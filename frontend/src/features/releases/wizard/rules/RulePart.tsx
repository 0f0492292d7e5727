import { ActionIcon, NativeSelect, Select, Textarea, Tooltip } from '@mantine/core'
import { Ban, Trash2, type LucideIcon } from 'lucide-react'
import { audienceWords } from '@/lib/audience'
import { faultsAt, sentence, type Fault } from '../faults'
import { FaultText } from '../FaultText'
import { missing, type DevicesPart, type GroupPart, type ListPart, type NotPart, type Part } from '../rule'
import { AddMenu } from './AddMenu'
import { FactFields } from './FactFields'
import type { Audience } from './useAudience'
import code from './codeInput.module.css'
import fields from './ruleFields.module.css'
import classes from './rulePart.module.css'

export type RuleActions = {
  /** Replaces the part with the same key. */
  set: (part: Part) => void
  add: (to: number, part: Part) => void
  negate: (key: number) => void
  remove: (key: number) => void
}

export type PartProps<P extends Part = Part> = {
  part: P
  /** Its place in the rule, as in error messages. */
  path: string
  faults: readonly Fault[]
  audience: Audience
  actions: RuleActions
}

/** One part of a rule with all that is below it. */
export function RulePart({ isRoot = false, ...props }: PartProps & { isRoot?: boolean }) {
  const { part, ...rest } = props
  switch (part.form) {
    case 'all':
    case 'any':
      return <Group {...rest} part={part} isRoot={isRoot} />
    case 'not':
      return <Not {...rest} part={part} />
    case 'fact':
      return (
        <Leaf {...props}>
          <FactFields {...rest} part={part} />
        </Leaf>
      )
    case 'list':
      return (
        <Leaf {...props}>
          <ListField {...rest} part={part} />
        </Leaf>
      )
    case 'devices':
      return (
        <Leaf {...props}>
          <DevicesField {...rest} part={part} />
        </Leaf>
      )
  }
}

const GROUP_WORDS = [
  { value: 'all', label: 'All of these' },
  { value: 'any', label: 'Any of these' },
]

function Group({ part, path, faults, audience, actions, isRoot }: PartProps<GroupPart> & { isRoot: boolean }) {
  const own = faults.filter((fault) => fault.path === path || fault.path === `${path}.${part.form}`)
  const missingText = missing(part)
  return (
    <div
      role="group"
      aria-label={part.form === 'all' ? 'All of' : 'Any of'}
      className={classes.group}
      data-part={part.key}
    >
      <div className={classes.groupHead}>
        <NativeSelect
          aria-label="Which of these must match"
          className={fields.form}
          data={GROUP_WORDS}
          value={part.form}
          onChange={(event) => actions.set({ ...part, form: event.currentTarget.value === 'any' ? 'any' : 'all' })}
        />
        <span className="muted">{part.parts.length === 1 ? 'must match' : ''}</span>
        <PartButtons part={part} actions={actions} what="group" stays={isRoot} />
      </div>
      {own.map((fault) => (
        <FaultText key={fault.expected}>{sentence(fault)}</FaultText>
      ))}
      {part.parts.map((each, at) => (
        <RulePart
          key={each.key}
          part={each}
          path={`${path}.${part.form}[${at}]`}
          faults={faults}
          audience={audience}
          actions={actions}
        />
      ))}
      {missingText !== null && <p className="muted">{missingText}</p>}
      <div>
        <AddMenu audience={audience} onAdd={(made) => actions.add(part.key, made)} />
      </div>
    </div>
  )
}

function Not({ part, path, ...rest }: PartProps<NotPart>) {
  return (
    <div role="group" aria-label="Not" className={classes.not} data-part={part.key}>
      <strong className={classes.notWord}>
        <Ban size={14} aria-hidden="true" /> Not
      </strong>
      <RulePart {...rest} part={part.part} path={`${path}.not`} />
    </div>
  )
}

/** A condition, with its errors below. */
function Leaf({ part, path, faults, actions, children }: PartProps & { children: React.ReactNode }) {
  const own = faultsAt(faults, path)
  const missingText = missing(part)
  return (
    <div role="group" aria-label="Condition" className={classes.leaf} data-part={part.key}>
      <div className={classes.leafFields}>
        {children}
        <PartButtons part={part} actions={actions} what="condition" />
      </div>
      {missingText === null && own.map((fault) => <FaultText key={fault.path}>{sentence(fault)}</FaultText>)}
      {missingText !== null && <p className="muted">{missingText}</p>}
    </div>
  )
}

type ButtonsProps = { part: Part; actions: RuleActions; what: string; stays?: boolean }

function PartButtons({ part, actions, what, stays = false }: ButtonsProps) {
  return (
    <span className={classes.partButtons}>
      <PartButton label="Not" does={`Negate the ${what}`} icon={Ban} onClick={() => actions.negate(part.key)} />
      {!stays && (
        <PartButton label="Remove" does={`Remove the ${what}`} icon={Trash2} onClick={() => actions.remove(part.key)} />
      )}
    </span>
  )
}

type ButtonProps = { label: string; does: string; icon: LucideIcon; onClick: () => void }

function PartButton({ label, does, icon: Icon, onClick }: ButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={does} onClick={onClick}>
        <Icon size={14} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  )
}

function ListField({ part, audience, actions }: PartProps<ListPart>) {
  const known = audience.lists.map(({ name, size }) => ({ value: name, label: `${name} (${size})` }))
  const data = known.some(({ value }) => value === part.name) || !part.name ? known : [...known, part.name]
  return (
    <>
      <span className={fields.form}>is in the id list</span>
      <Select
        aria-label="Id list"
        className={fields.value}
        placeholder={known.length > 0 ? 'Choose a list' : 'The app has no list yet'}
        searchable
        data={data}
        value={part.name || null}
        onChange={(name) => actions.set({ ...part, name: name ?? '' })}
      />
    </>
  )
}

function DevicesField({ part, audience, actions }: PartProps<DevicesPart>) {
  return (
    <>
      <span className={fields.form}>is one of the {audienceWords(audience.kind).many}</span>
      <Textarea
        aria-label={`${audienceWords(audience.kind).One} ids, one per line`}
        className={fields.value}
        classNames={{ input: code.input }}
        placeholder="One id per line"
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        defaultValue={part.ids.join('\n')}
        onChange={(event) => actions.set({ ...part, ids: linesIn(event.currentTarget.value) })}
      />
    </>
  )
}

function linesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))]
}
