import { expect, test } from 'vitest'
import { shownColumns, withToggled } from './columns'

const COLUMNS = [{ key: 'name' }, { key: 'state' }, { key: 'by', optional: true }]
const shown = (choice?: string) => shownColumns(COLUMNS, choice).map(({ key }) => key)

test('optional columns are shown once they are chosen, and the first one always', () => {
  expect(shown()).toEqual(['name', 'state'])
  expect(shown('by,state')).toEqual(['name', 'state', 'by'])
  expect(shown('unknown')).toEqual(['name'])
})

test('showing and hiding a column leads back to the usual choice', () => {
  expect(withToggled(COLUMNS, undefined, 'by')).toBe('name,state,by')
  expect(withToggled(COLUMNS, undefined, 'state')).toBe('name')
  expect(withToggled(COLUMNS, 'name', 'state')).toBeUndefined()
})
