import { useElementSize } from '@mantine/hooks'
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { useCallback, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { GraphEdge, GraphNode } from './graph'
import { GraphEdges } from './GraphEdges'
import { NodeOption } from './NodeOption'
import { layoutOf, NODE } from './layout'
import { PanZoom } from './panZoom'
import { directionOf, nextNode } from './walk'
import classes from './graph.module.css'

export type GraphProps = {
  /** The accessible name, such as "States of release 7". */
  label: string
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  selected: string | null
  onSelect: (id: string) => void
}

const NARROW = 600
const HEIGHT = { least: 160, most: 440, around: 48 }
const HELP =
  'Tab leads to the nodes. There, arrows lead along edges, Page Up and Page Down through all nodes, and Enter selects. ' +
  'On the frame, arrows move the view. Plus and minus zoom, 0 shows all.'

/** The drawing of a graph; `Graph` loads it. */
export default function GraphView({ label, nodes, edges, selected, onSelect }: GraphProps) {
  const frame = useRef<HTMLDivElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const help = useId()
  const { ref: sized, width } = useElementSize()
  const direction = width < NARROW ? 'down' : 'right'
  const layout = useMemo(() => layoutOf(nodes, edges, direction), [nodes, edges, direction])
  const height = Math.min(HEIGHT.most, Math.max(HEIGHT.least, layout.height + HEIGHT.around))
  const current = nodes.find(({ isCurrent }) => isCurrent)?.id
  const [visited, setVisited] = useState<string | null>(null)
  const entry = [visited, selected, current, nodes[0]?.id].find((id) => id && layout.nodes.has(id)) ?? null
  const around = layout.nodes.get(current ?? entry ?? '')
  const [view] = useState(() => new PanZoom())
  useEffect(() => {
    if (frame.current && layer.current) return view.attach(frame.current, layer.current)
  }, [view])
  useEffect(() => {
    if (width > 0) view.resize(layout, { width, height }, around)
  }, [view, layout, width, height, around])
  const visit = useCallback(
    (id: string) => {
      setVisited(id)
      const at = layout.nodes.get(id)
      if (at) view.bringIntoView(at, NODE)
    },
    [view, layout, setVisited],
  )

  const focus = (id: string) => {
    frame.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)?.focus({ preventScroll: true })
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const at = (event.target as HTMLElement).closest<HTMLElement>('[data-node]')?.dataset.node
    const to = at === undefined ? null : nextNode(event.key, at, layout.nodes, edges)
    const direct = directionOf(event.key)
    if (to !== null) focus(to)
    else if (at !== undefined && (event.key === 'Enter' || event.key === ' ')) onSelect(at)
    else if (direct && at === undefined) view.panBy(direct)
    else if (event.key === '+' || event.key === '=') view.zoomBy(1)
    else if (event.key === '-') view.zoomBy(-1)
    else if (event.key === '0') view.showAll()
    // An arrow key without a target does not scroll the page either.
    else if (!direct) return
    event.preventDefault()
  }

  return (
    <div ref={sized} className={classes.view}>
      <div
        ref={frame}
        role="group"
        aria-label={label}
        aria-describedby={help}
        tabIndex={0}
        className={classes.frame}
        style={{ height }}
        onKeyDown={pressed}
      >
        <div
          ref={layer}
          role="listbox"
          aria-label={`Nodes of ${label}`}
          className={classes.layer}
          style={{ width: layout.width, height: layout.height }}
        >
          <GraphEdges edges={edges} layout={layout} />
          {nodes.map((node) => (
            <NodeOption
              key={node.id}
              node={node}
              at={layout.nodes.get(node.id)}
              isSelected={node.id === selected}
              isEntry={node.id === entry}
              onSelect={onSelect}
              onVisit={visit}
            />
          ))}
        </div>
      </div>
      <div role="group" aria-label={`View of ${label}`} className={classes.controls}>
        <Control icon={ZoomIn} name="Zoom in" act={() => view.zoomBy(1)} />
        <Control icon={ZoomOut} name="Zoom out" act={() => view.zoomBy(-1)} />
        <Control icon={Maximize} name="Show all" act={() => view.showAll()} />
      </div>
      <p id={help} className="visually-hidden">
        {HELP}
      </p>
    </div>
  )
}

function Control({ icon: Icon, name, act }: { icon: typeof ZoomIn; name: string; act: () => void }) {
  return (
    <button type="button" className="icon-button" aria-label={name} title={name} onClick={act}>
      <Icon size={14} aria-hidden="true" />
    </button>
  )
}
