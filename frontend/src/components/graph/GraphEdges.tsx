import { memo, useId } from 'react'
import { TONE_COLOR, type Tone } from '@/lib/tone'
import type { GraphEdge } from './graph'
import type { GraphLayout } from './layout'
import classes from './graph.module.css'

/** The edges below the nodes, hidden from screen readers, which read the list. */
export const GraphEdges = memo(function GraphEdges({
  edges,
  layout,
}: {
  edges: readonly GraphEdge[]
  layout: GraphLayout
}) {
  const arrows = useId()
  return (
    <svg className={classes.edges} width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        {Object.entries(TONE_COLOR).map(([tone, color]) => (
          <marker
            key={tone}
            id={`${arrows}-${tone}`}
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0,0 L8,4 L0,8 Z" style={{ fill: color }} />
          </marker>
        ))}
      </defs>
      {edges.map((edge, index) => {
        const drawn = layout.edges[index]
        if (!drawn) return null
        const tone: Tone = edge.tone ?? 'none'
        return (
          <g key={index} data-edge={`${edge.from} ${edge.to}`} data-faint={edge.isFaint}>
            <path
              d={drawn.path}
              className={classes.edge}
              style={{ stroke: TONE_COLOR[tone] }}
              markerEnd={`url(#${arrows}-${tone})`}
            />
            {edge.label && (
              <text x={drawn.label.x} y={drawn.label.y} className={classes.edgeLabel}>
                {edge.label}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
})
