import { CircleCheck, CircleDashed, CirclePlay } from 'lucide-react'
import { useState } from 'react'
import { Graph } from '@/components/graph/Graph'
import type { GraphEdge, GraphNode } from '@/components/graph/graph'
import { LONG } from './samples'
import { State, States } from './States'

const NODES: GraphNode[] = [
  { id: 'draft', label: 'Draft', note: 'done', icon: CircleCheck, tone: 'ok' },
  { id: 'running', label: 'Running', note: 'now', icon: CirclePlay, tone: 'running', isCurrent: true },
  { id: 'complete', label: 'Complete', icon: CircleDashed, tone: 'none', isFaint: true },
  { id: 'rolled-back', label: LONG, note: LONG, icon: CircleDashed, tone: 'none', isFaint: true },
]
const EDGES: GraphEdge[] = [
  { from: 'draft', to: 'running', label: 'start', isMain: true, tone: 'ok' },
  { from: 'running', to: 'complete', isMain: true, isFaint: true },
  { from: 'running', to: 'rolled-back', label: 'roll back', isFaint: true },
]
const FIRST = NODES.slice(0, 1)
const NO_EDGES: GraphEdge[] = []

/** Nodes and edges. */
export function GraphStates() {
  const [selected, setSelected] = useState<string | null>('running')
  return (
    <States of="Graph" about="nodes and edges; arrows walk along them" wide>
      <State name="one node">
        <Graph label="One node" nodes={FIRST} edges={NO_EDGES} selected={null} onSelect={() => undefined} />
      </State>
      <State name="selected, current, faint, long">
        <Graph label="Four nodes" nodes={NODES} edges={EDGES} selected={selected} onSelect={setSelected} />
      </State>
    </States>
  )
}
