/** The commands that push versions to this server. */

export type Pushing = {
  /** The origin of this server: `location.origin`. */
  origin: string
  scenario: string
  task: string
  /** The version to push. */
  version: string
  /** Whether the task has no version yet. */
  begins: boolean
}

type Step = { title: string; command: string }

/** Returns the address of the scenario's repository; the token is the password. */
export function gitAddress(origin: string, scenario: string): string {
  return `${origin}/git/${scenario}.git`
}

/** Returns the command to run once in a terminal. */
export function signingIn(origin: string): string {
  return `export WALLE_URL=${origin} WALLE_TOKEN=wl_...`
}

export function pushingWithGit({ origin, scenario, task, version, begins }: Pushing): Step[] {
  const address = gitAddress(origin.replace('://', '://git:$WALLE_TOKEN@'), scenario)
  const branch = begins ? `git switch --orphan ${task}` : `git switch ${task}`
  return [
    { title: 'Get the task', command: `git clone ${address} && cd ${scenario} && ${branch}` },
    { title: 'Try it as a device would run it', command: 'walle version validate . && walle device run .' },
    {
      title: 'Push the branch and a tag',
      command: [
        `git add . && git commit -m "What is new" && git tag ${task}/${version}`,
        `git push origin ${task} ${task}/${version}`,
      ].join('\n'),
    },
  ]
}

export function pushingWithoutGit({ scenario, task, version }: Pick<Pushing, 'scenario' | 'task' | 'version'>): string {
  return `walle version upload . ${scenario}/${task} ${version}`
}

/** Returns the command for the same difference in a terminal. */
export function diffCommand(name: string, from: string, to: string): string {
  return `walle version diff ${name} ${from} ${to}`
}
