import { Box, Columns3, Flag, Share2 } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from '@tanstack/react-router'
import { ErrorNote } from '@/components/ErrorNote'
import { Gauges } from '@/components/Gauges'
import type { GraphNode } from '@/components/graph/graph'
import { Graph } from '@/components/graph/Graph'
import { Panel } from '@/components/Page'
import { LinesSkeleton } from '@/components/Skeletons'
import { StatusMark } from '@/components/StatusMark'
import { end, NumberCell, Table, TextCell } from '@/components/Table'
import { useFilters } from '@/hooks/useFilters'
import { bytes, count, plural } from '@/lib/format'
import { taskPath } from '@/lib/taskName'
import { COLUMNS, edgesOf, OUTPUTS, readPlan, sharersOf, type Plan, type PlanStage, type Sharing } from './explanation'
import { RulesPart } from './RulesPart'
import { StagePart } from './StagePart'
import type { PipelineSearch } from './search'
import { useExplanation } from './useServing'
import classes from './serving.module.css'

type Props = { path: { scenario: string; task: string }; version: string }

/** How a version is compiled: its plan as a graph, what it shares with others, and the rules that led to it. */
export function PlanPanel({ path, version }: Props) {
  const { data, error, refetch } = useExplanation(path, version)
  const explanation = data?.explanation
  const plan = useMemo(() => (explanation ? readPlan(explanation) : null), [explanation])
  return (
    <Panel title={`Plan of ${version}`}>
      {error && !data && <ErrorNote error={error} retry={() => void refetch()} />}
      {!data && !error && <LinesSkeleton lines={6} />}
      {data?.state === 'pending' && (
        <StatusMark tone="running">The plan is being computed; this takes some seconds after a push.</StatusMark>
      )}
      {data?.state === 'failed' && (
        <StatusMark tone="bad">{`The plan could not be computed: ${data.problem}`}</StatusMark>
      )}
      {data && plan && <Explained plan={plan} shared={data.shared} version={version} />}
    </Panel>
  )
}

type ExplainedProps = { plan: Plan; shared: readonly Sharing[]; version: string }

function Explained({ plan, shared, version }: ExplainedProps) {
  const [{ stage: selected }, setSearch] = useFilters<PipelineSearch>()
  const nodes = useMemo(() => nodesOf(plan, shared), [plan, shared])
  const edges = useMemo(() => edgesOf(plan), [plan])
  const stage = plan.stages.find(({ id }) => id === selected) ?? plan.stages[0]
  return (
    <>
      <Gauges figures={figuresOf(plan)} />
      <div className={classes.part}>
        <Graph
          label={`Plan of ${version}`}
          nodes={nodes}
          edges={edges}
          selected={stage?.id ?? null}
          onSelect={(id) => setSearch({ stage: id })}
        />
      </div>
      {stage && <StagePart stage={stage} shared={shared} />}
      <SharingPart shared={shared} />
      <RulesPart rules={plan.rules} />
    </>
  )
}

function figuresOf(plan: Plan) {
  return {
    'Transformations imported': count(plan.imported),
    'After the oven': count(plan.stages.reduce((sum, { transformations }) => sum + transformations.length, 0)),
    'Plan stages': count(plan.stages.length),
    'Physical stages': count(plan.stages.reduce((sum, { parts }) => sum + parts.length, 0)),
    Parameters: `${count(plan.parameters.arrays)}, ${bytes(plan.parameters.bytes)}`,
    'Memory of a prediction': bytes(plan.frameBytes),
  }
}

function nodesOf(plan: Plan, shared: readonly Sharing[]): GraphNode[] {
  const columns = plan.columns.map(({ name }) => name).join(', ')
  return [
    { id: COLUMNS, label: 'Columns', note: columns, icon: Columns3, tone: 'none' },
    ...plan.stages.map((stage) => nodeOf(stage, sharersOf(stage.parts, shared).length)),
    { id: OUTPUTS, label: 'Outputs', note: Object.keys(plan.outputs).join(', '), icon: Flag, tone: 'none' },
  ]
}

/** A plan stage is named by its last transformation; shared ones have an icon, a hue and a word of their own. */
function nodeOf(stage: PlanStage, sharers: number): GraphNode {
  const made = plural(stage.transformations.length, 'transformation')
  return {
    id: stage.id,
    label: `${stage.id}: ${stage.transformations.at(-1)?.operator ?? ''}`,
    note: sharers > 0 ? `shared with ${sharers}` : made,
    icon: sharers > 0 ? Share2 : Box,
    tone: sharers > 0 ? 'ok' : 'running',
  }
}

const SHARING_COLUMNS = ['Pipeline', 'Version', ...['Plan stages', 'Arrays', 'Bytes'].map(end)] as const

/** The installed versions that have stages or parameters in common with this one, which hosts keep once. */
function SharingPart({ shared }: { shared: readonly Sharing[] }) {
  return (
    <section className={classes.part}>
      <h3>Shared with</h3>
      {shared.length === 0 ? (
        <p className="note">No other installed version that you may see has a plan stage or a parameter in common.</p>
      ) : (
        <Table label="Shared with" columns={SHARING_COLUMNS} minWidth={480} maxHeight={280}>
          {shared.map(({ task, version, stages, parameters, bytes: size }) => (
            <tr key={`${task} ${version}`} data-shared={`${task} ${version}`}>
              <th scope="row">
                <Link to="/serving/$scenario/$task" params={taskPath(task)} search={{ version }}>
                  {task}
                </Link>
              </th>
              <TextCell>{version}</TextCell>
              <NumberCell>{count(stages.length)}</NumberCell>
              <NumberCell>{count(parameters)}</NumberCell>
              <NumberCell>{bytes(size)}</NumberCell>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
