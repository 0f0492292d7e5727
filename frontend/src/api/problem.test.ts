import { expect, test } from 'vitest'
import { ApiProblem, isRefusal } from './problem'
import { every } from './reading'

test('what was refused is not asked for again, what could not be answered is', () => {
  const problem = (status: number) => new ApiProblem({ title: 'x', status, code: 'x' })
  expect([400, 403, 404].map((status) => isRefusal(problem(status)))).toEqual([true, true, true])
  expect([0, 429, 503].map((status) => isRefusal(problem(status)))).toEqual([false, false, false])
  expect([problem(404), problem(503), null].map((error) => every(5)({ state: { error } }))).toEqual([false, 5, 5])
})
