import { SegmentedControl } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { LinesSkeleton } from '@/components/Skeletons'
import { hasCallers } from '@/lib/audience'
import { ruleSentence } from '@/lib/ruleSentence'
import { asJson, asTree, writtenRule, type RuleDraft } from '../draft'
import { CallersNote } from '../rules/CallersNote'
import { MatchCount } from '../rules/MatchCount'
import { RuleTree } from '../rules/RuleTree'
import { FaultText } from '../FaultText'
import { Missing } from '../Missing'
import { WarningList } from '../WarningList'
import type { StepProps } from '../Wizard'
import classes from './devicesStep.module.css'

const RuleJson = lazy(() => import('../rules/RuleJson').then((found) => ({ default: found.RuleJson })))

/** The step for the targeting rule, with the number of devices that it matches now; callers are not counted. */
export function DevicesStep({ draft, operators, change, evaluation, goTo }: StepProps) {
  const [unshown, setUnshown] = useState('')
  if (!draft.app) return <Missing what="app" step="version" goTo={goTo} />
  const { rule } = draft
  const set = (next: RuleDraft) => {
    setUnshown('')
    change({ rule: next })
  }
  const show = (view: string) => {
    try {
      set(view === 'json' ? asJson(rule) : asTree(rule, operators))
    } catch (error) {
      setUnshown(`The rule cannot be shown as a tree: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const faults = evaluation.faults.devices
  const written = writtenRule(rule)
  return (
    <div className={classes.beside}>
      <div className={classes.ruleSide}>
        <WarningList warnings={evaluation.warnings.devices} />
        {written && (
          <p className={classes.sentence} data-rule-sentence>
            {ruleSentence(written, draft.kind)}
          </p>
        )}
        <SegmentedControl
          aria-label="How the rule is shown"
          className={classes.views}
          data={[
            { value: 'tree', label: 'Tree' },
            { value: 'json', label: 'JSON' },
          ]}
          value={rule.text === null ? 'tree' : 'json'}
          onChange={show}
        />
        {unshown && <FaultText id="unshown">{unshown}</FaultText>}
        {rule.text === null ? (
          <RuleTree
            app={draft.app}
            kind={draft.kind}
            root={rule.tree}
            faults={faults}
            change={(tree) => set({ tree, text: null })}
          />
        ) : (
          <Suspense fallback={<LinesSkeleton lines={8} />}>
            <RuleJson text={rule.text} faults={faults} change={(text) => set({ ...rule, text })} />
          </Suspense>
        )}
      </div>
      {hasCallers(draft.kind) ? (
        <CallersNote evaluation={evaluation} />
      ) : (
        <MatchCount app={draft.app} evaluation={evaluation} />
      )}
    </div>
  )
}
