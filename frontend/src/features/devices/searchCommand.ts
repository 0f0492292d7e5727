import { conditionsOf, written, type DevicesSearch } from './search'

/** Returns the command line for the same search; undefined if it cannot express it. */
export function commandFor(search: DevicesSearch): string | undefined {
  if (search.q ?? search.seen_since ?? search.seen_before) return undefined
  const options: [string, string | undefined][] = [
    ['--app', search.app],
    ['--os', search.os],
    ['--app-version', search.app_version],
    ['--task', search.task],
    ['--version', search.version],
    ...conditionsOf(search.where).map((each): [string, string] => ['--fact', written(each)]),
    ['--rule', search.rule],
  ]
  const words = options.flatMap(([option, value]) => (value === undefined ? [] : [option, quoted(value)]))
  const revoked = search.revoked === undefined ? [] : [search.revoked === 'true' ? '--revoked' : '--not-revoked']
  return ['walle device list', ...words, ...revoked].join(' ')
}

/** Quotes a word for a POSIX shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}
