/** What the pages of devices read first. */
import { pages, reading } from '@/api/reading'
import type { DevicesQuery } from './search'
import { ROWS } from './searchProgress'

export type DevicePath = { app: string; device: string }

export function foundDevices(search: DevicesQuery) {
  return pages('/api/v1/devices', { query: { ...search, limit: ROWS } })
}

export function deviceCount(search: DevicesQuery) {
  return reading('/api/v1/devices/count', { query: search })
}

export function deviceDetail(path: DevicePath) {
  return reading('/api/v1/devices/{app}/{device}', { path })
}
