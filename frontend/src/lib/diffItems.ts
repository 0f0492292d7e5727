/** The items of a difference as one flat list, of which only visible ones have to be in the document. */
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
  /** Changed lines, if there is a diff. */
  added: number
  removed: number
  /** Its index in the list. */
  at: number
}

export type DiffItems = { items: Item[]; files: ChangedFile[] }

/** Returns the items: a text file has a head and rows; others a head and the facts about their content. */
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

/** Returns the file of the item at this index. */
export function fileAt(items: readonly Item[], index: number): ChangedFile | null {
  const item = items[index]
  return item && item.type !== 'fields' ? item.file : null
}

/** Formats a value of task.toml; null is a missing one. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return valueText(value)
}
