const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const CLOCKS_DIFFER_S = 2
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

/** The zone in which times are shown; undefined is the browser's. */
let chosenZone: string | undefined

/** Shows times in this zone from now on; an empty one, or one that the browser does not know, is the browser's own. */
export function setTimeZone(zone: string): void {
  try {
    chosenZone = zone === '' ? undefined : new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    chosenZone = undefined
  }
}

export function timeZone(): string {
  return chosenZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns a function that formats milliseconds since 1970 in the zone that is chosen when it is called. */
export function zoned(locale: string, options: Intl.DateTimeFormatOptions): (at: number) => string {
  let made: { zone: string; format: Intl.DateTimeFormat } | undefined
  return (at) => {
    const zone = chosenZone ?? ''
    if (made?.zone !== zone) {
      made = { zone, format: new Intl.DateTimeFormat(locale, { ...options, ...(zone ? { timeZone: zone } : {}) }) }
    }
    return made.format.format(at)
  }
}

const absolute = zoned('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const clock = zoned('en-GB', { timeStyle: 'short' })
const exactClock = zoned('en-GB', { timeStyle: 'medium' })
const dayAndClock = zoned('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
/** Below this many seconds, times are told apart by their seconds. */
const EXACT_S = 600
const DAY_S = 86_400

/** "3 min. ago", "in 2 hr."; both in milliseconds since 1970. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  // A clock that is read once a second, or a server's, may be slightly behind a recent event.
  if (seconds > -1 && seconds <= CLOCKS_DIFFER_S) return 'now'
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  }
  return 'now'
}

/** Formats the complete time with the zone. */
export function absoluteTime(at: number): string {
  return absolute(at)
}

/** Formats a time, in seconds since 1970, as exactly as one of a span of seconds needs: "14:32:05", "14:32", "26 Nov 14:32". */
export function timeWithin(at: number, span: number): string {
  const format = span < EXACT_S ? exactClock : span < DAY_S ? clock : dayAndClock
  return format(at * 1000)
}

/** "14:32". */
export function timeOfDay(at: number): string {
  return clock(at)
}

/** "2 h 5 min", "45 s": the two largest parts. */
export function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}
