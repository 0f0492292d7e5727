/** What `datetime-local` fields hold, in the zone of whoever looks, and moments as the API takes them. */

/** "2026-05-01T14:30", or '' of what is no moment. */
export function toField(moment: string | undefined): string {
  const at = new Date(moment ?? Number.NaN)
  if (Number.isNaN(at.getTime())) return ''
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** "2026-05-01T14:30:00Z"; undefined of what is not there, or not yet whole: a year comes digit by digit. */
export function fromField(field: string): string | undefined {
  const at = new Date(field)
  return at.getTime() > 0 ? at.toISOString().replace('.000Z', 'Z') : undefined
}
