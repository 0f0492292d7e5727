import { expect, test } from 'vitest'
import { ApiProblem, displaces, isRefusal } from './problem'
import { whileFailing } from './queryClient'
import { every } from './reading'

test('what was refused is not asked for again, what could not be answered is', () => {
  const problem = (status: number) => new ApiProblem({ title: 'x', status, code: 'x' })
  expect([400, 403, 404].map((status) => isRefusal(problem(status)))).toEqual([true, true, true])
  expect([0, 429, 503].map((status) => isRefusal(problem(status)))).toEqual([false, false, false])
  expect([problem(404), problem(503), null].map((error) => every(5)({ state: { error } }))).toEqual([false, 5, 5])
})

test('what is known stays while the server is away, and goes once it is refused', () => {
  const problem = (status: number) => new ApiProblem({ title: 'x', status, code: 'x' })
  expect([displaces(problem(0), {}), displaces(problem(503), {}), displaces(null, undefined)]).toEqual([
    false,
    false,
    false,
  ])
  expect([displaces(problem(0), undefined), displaces(problem(404), {})]).toEqual([true, true])
})

test('what could not be read is read again until it can be, or is refused', () => {
  const problem = (status: number) => new ApiProblem({ title: 'x', status, code: 'x' })
  const again = [null, problem(404), problem(0), problem(503)].map((error) => whileFailing({ state: { error } }))
  expect(again).toEqual([false, false, 10_000, 10_000])
})
