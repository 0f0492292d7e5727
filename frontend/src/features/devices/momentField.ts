/** Converts between the values of `datetime-local` fields, in the zone of the person, and the API's timestamps. */

/** Returns "2026-05-01T14:30", or '' if it is no timestamp. */
export function toField(moment: string | undefined): string {
  const at = new Date(moment ?? Number.NaN)
  if (Number.isNaN(at.getTime())) return ''
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Returns "2026-05-01T14:30:00Z"; undefined if it is missing or incomplete, as while a year is typed. */
export function fromField(field: string): string | undefined {
  const at = new Date(field)
  return at.getTime() > 0 ? at.toISOString().replace('.000Z', 'Z') : undefined
}
