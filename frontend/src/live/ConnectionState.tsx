/** Whether live data flows; empty until there is a live channel. */
export function ConnectionState() {
  return null
}
