import { useEffect, useMemo, useRef, useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { LinesSkeleton } from '@/components/Skeletons'
import type { Fault } from '../faults'
import { added, asGroup, negated, replaced, type Part } from '../rule'
import classes from './ruleTree.module.css'
import { AddMenu } from './AddMenu'
import { RulePart, type RuleActions } from './RulePart'
import { useAudience } from './useAudience'

type Props = {
  app: string
  kind: string | undefined
  root: Part
  faults: readonly Fault[]
  change: (root: Part) => void
}

/** The rule as groups of conditions within each other. */
export function RuleTree({ app, kind, root, faults, change }: Props) {
  const audience = useAudience(app, kind)
  const place = useRef<HTMLDivElement>(null)
  const [fresh, setFresh] = useState<number | null>(null)
  useEffect(() => {
    // Moves the focus to a condition that was just added.
    if (fresh === null) return
    place.current?.querySelector<HTMLElement>(`[data-part="${fresh}"] :is(input, select, textarea)`)?.focus()
  }, [fresh])

  const actions = useMemo<RuleActions>(
    () => ({
      set: (part) => change(replaced(root, part.key, part) ?? root),
      add: (to, part) => {
        change(added(root, to, part))
        setFresh(part.key)
      },
      negate: (key) => change(negated(root, key)),
      remove: (key) => {
        const left = replaced(root, key, null)
        change(left ?? { ...asGroup(root), parts: [] })
        place.current?.querySelector<HTMLElement>('button')?.focus()
      },
    }),
    [root, change],
  )
  if (audience.error !== null) return <ErrorNote error={audience.error} retry={audience.refetch} />
  if (!audience.data) return <LinesSkeleton lines={4} />
  const isGroup = root.form === 'all' || root.form === 'any'
  return (
    <div ref={place} className={classes.tree}>
      <RulePart part={root} path="rule" faults={faults} audience={audience.data} actions={actions} isRoot />
      {!isGroup && (
        <div>
          <AddMenu
            audience={audience.data}
            onAdd={(part) => {
              const whole = asGroup(root)
              change({ ...whole, parts: [...whole.parts, part] })
              setFresh(part.key)
            }}
          />
        </div>
      )}
    </div>
  )
}
