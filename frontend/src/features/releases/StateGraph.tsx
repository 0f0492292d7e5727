import { useMemo } from 'react'
import type { ReleaseDetail } from '@/api/schemas'
import type { GraphEdge, GraphNode } from '@/components/graph/graph'
import { Graph } from '@/components/graph/Graph'
import { ReleaseLink } from '@/components/links'
import { Panel } from '@/components/Page'
import { RelativeTime } from '@/components/RelativeTime'
import { useFilters } from '@/hooks/useFilters'
import { capitalized } from '@/lib/format'
import { RELEASE_TONE } from '@/lib/releaseState'
import { MARKS } from './progressMarks'
import type { ReleaseSearch } from './search'
import { STATE_ICON } from './stateIcons'
import {
  doneWord,
  edgeWords,
  movesAt,
  releaseGraphOf,
  type ReleaseGraph,
  type StateEdge,
  type StateNode,
} from './stateGraph'
import classes from './releases.module.css'

/** A graph of the release's past states, its moves, and the states it can still reach. */
export default function StateGraph({ release }: { release: ReleaseDetail }) {
  const [{ place }, setFilters] = useFilters<ReleaseSearch>()
  // Figures change all the time and are left out, so that an unchanged history stays the same object.
  const serialized = JSON.stringify(releaseGraphOf(release))
  const graph = useMemo(() => JSON.parse(serialized) as ReleaseGraph, [serialized])
  const nodes = useMemo(() => graph.places.map((each) => nodeOf(each, graph.present)), [graph])
  const edges = useMemo(() => graph.edges.map((each) => edgeOf(each, graph.places)), [graph])
  const selected = graph.places.find(({ key }) => key === (place ?? graph.present))
  return (
    <Panel title="States and moves">
      <Graph
        label={`States and moves of release ${release.id}`}
        nodes={nodes}
        edges={edges}
        selected={selected?.key ?? null}
        onSelect={(key) => setFilters({ place: key === graph.present ? undefined : key })}
      />
      {selected && <Moves graph={graph} place={selected} />}
    </Panel>
  )
}

/** The moves into and out of a state. */
function Moves({ graph, place }: { graph: ReleaseGraph; place: StateNode }) {
  const moves = movesAt(graph, place.key)
  const label = `Moves of ${place.label}`
  return (
    <section aria-live="polite" data-moves={place.key}>
      {moves.length === 0 && place.kind !== 'release' && (
        <p className="note">{`${place.label}: no move has led to this state.`}</p>
      )}
      {moves.length > 0 && (
        <ol aria-label={label} className={classes.moves}>
          {moves.map(({ move, from, to }, index) => (
            <li key={index} data-move={move.action}>
              <RelativeTime at={move.at} />
              <span>{move.actor}</span>
              <strong>{capitalized(doneWord(move.action))}</strong>
              <span>{`${from} → ${to}`}</span>
              <span className="muted">{move.reason}</span>
            </li>
          ))}
        </ol>
      )}
      {place.kind === 'release' && (
        <p className="note">
          <ReleaseLink release={place.release}>{`To ${place.label.toLowerCase()}`}</ReleaseLink>
        </p>
      )}
    </section>
  )
}

function nodeOf(place: StateNode, present: string): GraphNode {
  const { tone, icon, word, isFaint } = markOf(place)
  const { key, label, at } = place
  return {
    id: key,
    label,
    tone,
    icon,
    isFaint,
    isCurrent: key === present,
    note: (
      <>
        {word}
        {at && (
          <>
            {word && ', '}
            <RelativeTime at={at} />
          </>
        )}
      </>
    ),
  }
}

type Mark = Pick<GraphNode, 'tone' | 'icon' | 'isFaint'> & { word: string }

function markOf(place: StateNode): Mark {
  switch (place.kind) {
    case 'step': {
      const isFaint = place.progress === 'ahead' || place.progress === 'unreached' || place.progress === 'skipped'
      return { ...MARKS[place.progress], isFaint }
    }
    case 'state': {
      const tone = place.isReached ? RELEASE_TONE[place.state] : 'none'
      return { tone, icon: STATE_ICON[place.state], word: place.isReached ? '' : 'possible', isFaint: !place.isReached }
    }
    case 'release':
      return { tone: 'none', icon: STATE_ICON.superseded, word: 'replaced it' }
  }
}

function edgeOf(edge: StateEdge, places: readonly StateNode[]): GraphEdge {
  const { kind, from, to, moves } = edge
  const target = places.find(({ key }) => key === to)
  const isFaint = kind !== 'cause' && moves.length === 0
  const tone = isFaint || !target ? 'none' : target.kind === 'step' ? 'ok' : markOf(target).tone
  return { from, to, label: edgeWords(edge), tone, isMain: kind === 'main', isFaint }
}
