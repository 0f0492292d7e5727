/** A task's name is `<scenario>/<task>`; addresses contain its parts. */
export type TaskPath = { scenario: string; task: string }

export function taskPath(name: string): TaskPath {
  const [scenario = '', task = ''] = name.split('/')
  return { scenario, task }
}
