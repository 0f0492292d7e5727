/** The kinds of stages, as walle/release/stage_kinds.py has them: a kind that is missing here does not compile. */
import type { Stage } from '@/api/schemas'

export type StageKind = Stage['kind']

export const STAGE_KINDS: Readonly<Record<StageKind, { title: string; takesList: boolean }>> = {
  beta: { title: 'Beta', takesList: true },
  gray: { title: 'Gray', takesList: false },
}

/** The kind of stages that are added. */
export const USUAL_KIND: StageKind = 'gray'

export const stageKinds = Object.keys(STAGE_KINDS) as StageKind[]

/** The kind that somebody named; the usual one where there is no such kind. */
export const stageKindNamed = (name: unknown): StageKind => stageKinds.find((kind) => kind === name) ?? USUAL_KIND
