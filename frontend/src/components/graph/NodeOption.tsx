import { memo } from 'react'
import { TONE_COLOR } from '@/lib/tone'
import type { GraphNode, Point } from './graph'
import { NODE } from './layout'
import classes from './graph.module.css'

type Props = {
  node: GraphNode
  at: Point | undefined
  isSelected: boolean
  /** Whether Tab leads to this node. */
  isEntry: boolean
  onSelect: (id: string) => void
  onVisit: (id: string) => void
}

export const NodeOption = memo(function NodeOption({ node, at, isSelected, isEntry, onSelect, onVisit }: Props) {
  const { id, label, note, icon: Icon, tone, isCurrent, isFaint } = node
  if (!at) return null
  return (
    <div
      role="option"
      data-node={id}
      data-faint={isFaint}
      tabIndex={isEntry ? 0 : -1}
      aria-selected={isSelected}
      aria-current={isCurrent ? 'step' : undefined}
      title={label}
      className={classes.node}
      style={{ ...NODE, left: at.x - NODE.width / 2, top: at.y - NODE.height / 2, borderTopColor: TONE_COLOR[tone] }}
      onClick={() => onSelect(id)}
      onFocus={() => onVisit(id)}
    >
      <span className={classes.name}>
        <Icon size={14} aria-hidden="true" style={{ color: TONE_COLOR[tone] }} />
        <span>{label}</span>
      </span>
      {note && <span className={classes.note}>{note}</span>}
    </div>
  )
})
