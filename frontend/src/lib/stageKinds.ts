/** The kinds of stages, as in walle/release/stage_kinds.py: a kind that is missing here does not compile. */
import type { Stage } from '@/api/schemas'

export type StageKind = Stage['kind']

export const STAGE_KINDS: Readonly<Record<StageKind, { title: string; takesList: boolean }>> = {
  beta: { title: 'Beta', takesList: true },
  gray: { title: 'Gray', takesList: false },
}

/** The kind of new stages. */
export const USUAL_KIND: StageKind = 'gray'

export const stageKinds = Object.keys(STAGE_KINDS) as StageKind[]

/** Returns the kind of this name; the usual one if there is no such kind. */
export const stageKindNamed = (name: unknown): StageKind => stageKinds.find((kind) => kind === name) ?? USUAL_KIND
