/** Everything a difference shows, as one flat list: only what is in view of it has to be in the document. */
import type { Answer } from '@/api/reading'
import { valueText } from '@/lib/json'
import { sideBySide, type DiffRow } from './unified'

export type Diff = Answer<'/api/v1/tasks/{scenario}/{task}/versions/{version}/diff'>
export type FileChange = Diff['files'][number]
export type FieldChange = Diff['fields'][number]

export type Item =
  | { type: 'fields'; fields: readonly FieldChange[] }
  | { type: 'file'; file: ChangedFile }
  | { type: 'content'; file: ChangedFile }
  | { type: 'row'; file: ChangedFile; row: DiffRow }

export type ChangedFile = {
  change: FileChange
  /** Lines, where there is a diff. */
  added: number
  removed: number
  /** Where it begins in the list. */
  at: number
}

export type DiffItems = { items: Item[]; files: ChangedFile[] }

/** Files that differ in their text: a head and their rows; others: a head and what is known of their content. */
export function diffItems(diff: Diff): DiffItems {
  const items: Item[] = []
  const files: ChangedFile[] = []
  if (diff.fields.length > 0) items.push({ type: 'fields', fields: diff.fields })
  for (const change of diff.files) {
    const { rows, added, removed } = sideBySide(change.diff ?? '')
    const file = { change, added, removed, at: items.length }
    files.push(file)
    items.push({ type: 'file', file })
    if (change.diff === null) items.push({ type: 'content', file })
    for (const row of rows) items.push({ type: 'row', file, row })
  }
  return { items, files }
}

/** The file that the item at this place belongs to. */
export function fileAt(items: readonly Item[], index: number): ChangedFile | null {
  const item = items[index]
  return item && item.type !== 'fields' ? item.file : null
}

/** A value of task.toml as people read it; null is what a version does not have. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return valueText(value)
}
