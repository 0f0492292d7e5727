/** How a version is compiled: its plan stages, what executes them, and the rules of the oven that led to them. */
import type { Schemas } from '@/api/schemas'
import type { GraphEdge } from '@/components/graph/graph'
import { asList, asNumber, asObject, asText } from '@/lib/json'

export type Sharing = Schemas['PlanSharing']

export type Transformation = {
  id: string
  operator: string
  words: string
  inputs: string[]
  settings: Record<string, unknown>
  type: string
  labels: string[]
  bytes: number
}
/** A physical stage: the kernels that run as one, under an identity that equal stages of other plans have, too. */
export type Part = { id: string; kernels: string[]; identity: string; isMaterialized: boolean }
export type PlanStage = {
  id: string
  inputs: string[]
  outputs: string[]
  transformations: Transformation[]
  parts: Part[]
}
export type Rule = { step: string; rule: string; before: string[]; after: string[] }
export type Plan = {
  columns: { name: string; type: string }[]
  stages: PlanStage[]
  outputs: Record<string, string>
  rules: Rule[]
  imported: number
  frameBytes: number
  parameters: { arrays: number; bytes: number }
}

export function readPlan(told: Record<string, unknown>): Plan {
  const [logical, physical] = [asObject(told.logical), asObject(told.physical)]
  const parts = objects(physical.stages)
  const parameters = asObject(physical.parameters)
  return {
    columns: objects(logical.columns).map(({ name, type }) => ({ name: asText(name), type: asText(type) })),
    stages: objects(logical.stages).map((each) => readStage(each, parts)),
    outputs: Object.fromEntries(Object.entries(asObject(logical.outputs)).map(([name, id]) => [name, asText(id)])),
    rules: objects(logical.rules).map(({ step, rule, before, after }) => ({
      step: asText(step),
      rule: asText(rule),
      before: texts(before),
      after: texts(after),
    })),
    imported: asList(told.imported).length,
    frameBytes: asNumber(asObject(physical.frame).bytes) ?? 0,
    parameters: { arrays: asNumber(parameters.arrays) ?? 0, bytes: asNumber(parameters.bytes) ?? 0 },
  }
}

function readStage(told: Record<string, unknown>, parts: Record<string, unknown>[]): PlanStage {
  return {
    id: asText(told.id),
    inputs: texts(told.inputs),
    outputs: texts(told.outputs),
    transformations: objects(told.transformations).map(readTransformation),
    parts: parts
      .filter(({ logical }) => logical === told.id)
      .map(({ id, kernels, identity, materialized }) => ({
        id: asText(id),
        kernels: texts(kernels),
        identity: asText(identity),
        isMaterialized: materialized === true,
      })),
  }
}

function readTransformation(told: Record<string, unknown>): Transformation {
  const labels = [
    asText(told.flow),
    asText(told.bound) && `${asText(told.bound)}-bound`,
    told.sparse === true && 'sparse',
    told.vectorizable === true && 'vectorizable',
    told.breaks === true && 'pipeline breaker',
  ]
  return {
    id: asText(told.id),
    operator: asText(told.operator),
    words: asText(told.words),
    inputs: texts(told.inputs),
    settings: asObject(told.settings),
    type: asText(told.type),
    labels: labels.filter((each): each is string => typeof each === 'string' && each !== ''),
    bytes: Object.values(asObject(told.parameters)).reduce<number>(
      (sum, each) => sum + (asNumber(asObject(each).bytes) ?? 0),
      0,
    ),
  }
}

export const COLUMNS = 'columns'
export const OUTPUTS = 'outputs'
const COLUMN = 'column:'

/** The edges of the plan's graph: from the columns through the plan stages to the outputs, each once. */
export function edgesOf({ stages, outputs }: Plan): GraphEdge[] {
  const makers = new Map(stages.flatMap(({ id, outputs: made }) => made.map((value) => [value, id])))
  const edges = stages.flatMap(({ id, inputs }) => {
    const from = inputs.map((input) => (input.startsWith(COLUMN) ? COLUMNS : makers.get(input)))
    return unique(from).map((maker) => ({ from: maker, to: id }))
  })
  const last = unique(Object.values(outputs).map((value) => makers.get(value)))
  return [...edges, ...last.map((maker) => ({ from: maker, to: OUTPUTS }))]
}

/** The installed versions that have any of these physical stages in common with the plan. */
export function sharersOf(parts: readonly Part[], shared: readonly Sharing[]): Sharing[] {
  const own = new Set(parts.map(({ identity }) => identity))
  return shared.filter(({ stages }) => stages.some((identity) => own.has(identity)))
}

/** The rules that were applied, by the oven's steps in their order. */
export function rulesByStep(rules: readonly Rule[]): { step: string; rules: Rule[] }[] {
  return unique(rules.map(({ step }) => step)).map((step) => ({
    step,
    rules: rules.filter((each) => each.step === step),
  }))
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((each) => each !== undefined))]
}

function objects(told: unknown): Record<string, unknown>[] {
  return asList(told).map(asObject)
}

function texts(told: unknown): string[] {
  return asList(told).filter((each): each is string => typeof each === 'string')
}
