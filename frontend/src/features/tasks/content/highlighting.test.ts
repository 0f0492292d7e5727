import { expect, it } from 'vitest'
import { highlight } from './highlighting'

it('has the pieces of each line with their kind', () => {
  expect(highlight('def f():\n    return 1', 'python')).toEqual([
    [
      { text: 'def', className: 'hljs-keyword' },
      { text: ' ', className: '' },
      { text: 'f', className: 'hljs-title function_' },
      { text: '():', className: '' },
    ],
    [
      { text: '    ', className: '' },
      { text: 'return', className: 'hljs-keyword' },
      { text: ' ', className: '' },
      { text: '1', className: 'hljs-number' },
    ],
  ])
})

it('goes on with a text of several lines in each of them', () => {
  const lines = highlight('"""one\ntwo"""', 'python')
  expect(lines.map((line) => line.map(({ className }) => className))).toEqual([['hljs-string'], ['hljs-string']])
})

it('leaves text of no language plain', () => {
  expect(highlight('a\nb', undefined)).toEqual([[{ text: 'a', className: '' }], [{ text: 'b', className: '' }]])
})
