/** What a first load of each page is by the build: KiB of gzipped JavaScript. */
import { build, type Rolldown } from 'vite'
import { firstLoads, type Load } from '../../tools/budget.ts'

export async function measureBundle(): Promise<Load[]> {
  const built = await build({ logLevel: 'warn', build: { write: false } })
  const outputs = (Array.isArray(built) ? built : [built]) as Rolldown.RolldownOutput[]
  return firstLoads(outputs.flatMap(({ output }) => output.filter((each) => each.type === 'chunk')))
}
