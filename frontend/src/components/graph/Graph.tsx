/** A graph of nodes and edges as a picture, for keyboards, and as a list for screen readers. */
import { CatchBoundary } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { LinesSkeleton } from '@/components/Skeletons'
import type { GraphEdge, GraphNode } from './graph'
import type { GraphProps } from './GraphView'

const GraphView = lazy(() => import('./GraphView'))

/** The drawing code is loaded on first use; the list works without it. Pass the same arrays of nodes and edges. */
export function Graph(props: GraphProps) {
  return (
    <>
      <CatchBoundary getResetKey={() => props.label} errorComponent={ErrorNote}>
        <Suspense fallback={<LinesSkeleton lines={4} />}>
          <GraphView {...props} />
        </Suspense>
      </CatchBoundary>
      <ul className="visually-hidden" aria-label={`${props.label}, as a list`}>
        {props.nodes.map((node) => (
          <Item key={node.id} node={node} {...props} />
        ))}
      </ul>
    </>
  )
}

function Item({ node, nodes, edges }: { node: GraphNode; nodes: readonly GraphNode[]; edges: readonly GraphEdge[] }) {
  const name = (id: string) => nodes.find((each) => each.id === id)?.label ?? id
  const away = edges.filter(({ from }) => from === node.id)
  return (
    <li aria-current={node.isCurrent ? 'step' : undefined}>
      {node.label}
      {node.note && <>, {node.note}</>}
      {away.length > 0 && (
        <ul>
          {away.map(({ to, label, isFaint }, index) => (
            <li key={index}>{`${isFaint ? 'may lead' : 'has led'} to ${name(to)}${label ? `: ${label}` : ''}`}</li>
          ))}
        </ul>
      )}
    </li>
  )
}
