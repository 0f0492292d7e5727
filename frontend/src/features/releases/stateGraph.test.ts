import { expect, test } from 'vitest'
import { someMove, someRelease } from './exampleRelease'
import { edgeWords, movesAt, releaseGraphOf, type Transition, type ReleaseGraph } from './stateGraph'

const at = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, '0')}:00Z`

function moved(
  minute: number,
  action: Transition['action'],
  before: Transition['before'],
  after: Transition['after'],
  more = {},
): Transition {
  return { ...someMove(before, after, at(minute)), action, ...more }
}

const STARTED = moved(1, 'start', 'draft', 'simulating')
const PASSED = moved(2, 'pass', 'simulating', 'running', { position_after: 0 })
const PAUSED = moved(3, 'pause', 'running', 'paused', { position_before: 0, position_after: 0, reason: 'look' })
const RESUMED = moved(4, 'resume', 'paused', 'running', { position_before: 0, position_after: 0 })
const PROMOTED = moved(5, 'promote', 'running', 'running', { position_before: 0, position_after: 1 })

const drawn = ({ edges }: ReleaseGraph) =>
  edges.map((edge) => `${edge.from} > ${edge.to}${edge.moves.length > 0 ? '' : '?'} ${edgeWords(edge)}`.trim())

test('what happened, what lies ahead and what could be done now are edges', () => {
  const transitions = [STARTED, PASSED, PAUSED, RESUMED, PROMOTED]
  const graph = releaseGraphOf(someRelease({ transitions, position: 1 }))
  expect(graph.present).toBe('stage-1')
  expect(drawn(graph)).toEqual([
    'draft > simulating started',
    'simulating > stage-0 passed',
    'stage-0 > stage-1 promoted',
    'stage-1 > stage-2?',
    'stage-2 > complete?',
    'stage-0 > paused stage-0 paused',
    'paused stage-0 > stage-0 resumed',
    'stage-1 > paused stage-1? pause',
    'stage-1 > aborted? abort',
    'stage-1 > rolled-back? roll back',
  ])
  expect(graph.edges.filter(({ kind }) => kind === 'main').length).toBe(5)
  const states = graph.places.flatMap((place) => (place.kind === 'state' ? [[place.key, place.isReached]] : []))
  expect(states).toEqual([
    ['paused stage-0', true],
    ['paused stage-1', false],
    ['aborted', false],
    ['rolled-back', false],
  ])
})

test('who is paused can go back to where it was, or end', () => {
  const graph = releaseGraphOf(someRelease({ transitions: [STARTED, PASSED, PAUSED], state: 'paused', position: 0 }))
  expect(graph.present).toBe('paused stage-0')
  expect(drawn(graph).slice(-4)).toEqual([
    'stage-0 > paused stage-0 paused',
    'paused stage-0 > stage-0? resume',
    'paused stage-0 > aborted? abort',
    'paused stage-0 > rolled-back? roll back',
  ])
})

test('the same move again is the same edge', () => {
  const again = { ...PAUSED, at: at(6) }
  const back = { ...RESUMED, at: at(7) }
  const graph = releaseGraphOf(
    someRelease({ transitions: [STARTED, PASSED, PAUSED, RESUMED, again, back], position: 0 }),
  )
  expect(drawn(graph)).toContain('stage-0 > paused stage-0 paused 2×')
  const place = graph.places.find(({ key }) => key === 'paused stage-0')
  expect(place?.at).toBe(at(6))
})

test('what skipped stages leads over them, and what replaced it is a neighbour', () => {
  const completed = moved(5, 'complete', 'running', 'complete', { position_before: 0, position_after: 2 })
  const superseded = moved(6, 'supersede', 'complete', 'superseded', { evidence: { release: 9 } })
  const release = someRelease({
    transitions: [STARTED, PASSED, completed, superseded],
    state: 'superseded',
    position: 2,
  })
  const graph = releaseGraphOf(release)
  expect(drawn(graph)).toEqual(
    expect.arrayContaining(['stage-0 > complete completed', 'complete > superseded superseded']),
  )
  expect(graph.edges.filter(({ kind }) => kind === 'cause')).toMatchObject([{ from: 'superseded', to: 'release 9' }])
  expect(graph.places.at(-1)).toMatchObject({ kind: 'release', label: 'Release 9', release: 9 })

  const restored = moved(7, 'restore', 'superseded', 'complete', { evidence: { release: 9 } })
  const back = releaseGraphOf({ ...release, transitions: [...release.transitions, restored], state: 'complete' })
  expect(back.present).toBe('complete')
  expect(drawn(back)).toContain('superseded > complete restored')
})

test('a place tells of the moves to it and from it, the newest first', () => {
  const graph = releaseGraphOf(someRelease({ transitions: [STARTED, PASSED, PAUSED, RESUMED, PROMOTED], position: 1 }))
  const found = movesAt(graph, 'stage-0').map(({ move, from, to }) =>
    `${from} > ${to}: ${move.action} ${move.reason}`.trim(),
  )
  expect(found).toEqual([
    'Beta testers > Gray 20 %: promote',
    'Paused > Beta testers: resume',
    'Beta testers > Paused: pause look',
    'Simulation > Beta testers: pass',
  ])
  expect(movesAt(graph, 'rolled-back')).toEqual([])
})

test('a draft has only what lies ahead, and its abortion', () => {
  const graph = releaseGraphOf(someRelease({ state: 'draft', position: null, transitions: [] }))
  expect(graph.present).toBe('draft')
  expect(graph.edges.every(({ moves }) => moves.length === 0)).toBe(true)
  expect(drawn(graph).at(-1)).toBe('draft > aborted? abort')
})

test('what is shown before the server has answered is where it will be', () => {
  const graph = releaseGraphOf(someRelease({ transitions: [STARTED, PASSED], position: 1 }))
  expect(graph.present).toBe('stage-1')
})
