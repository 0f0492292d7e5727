/** Run by Vitest before each file of journeys. */
import { afterEach } from 'vitest'
import { everybodyLeaves, printPages } from './browser'

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await printPages()
  await everybodyLeaves()
})
