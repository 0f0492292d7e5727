/** A device counts as online within two minutes of its last check-in, as in the fleet's counts. */
const ONLINE_MS = 120_000

type DeviceState = 'revoked' | 'online' | 'away'

export function stateOf(device: { last_seen: string; revoked_at: string | null }, now: number): DeviceState {
  if (device.revoked_at !== null) return 'revoked'
  return now - Date.parse(device.last_seen) <= ONLINE_MS ? 'online' : 'away'
}
