/** The limits of a strategy, which the API types as plain objects. */
import { asNumber, asObject, type JsonObject } from '@/lib/json'

export type Limits = {
  failureRate: number
  stopRate: number
  stopAfter: number
  silentShare: number
  latencyMs: number | null
  latencyQuantile: number
  failureMargin: number
  silenceMargin: number
  slowdownMargin: number
  driftMargin: number
}

/** Reads the limits of a strategy; those that it lacks are the defaults of walle/release/limits.py. */
export function readLimits(strategy: JsonObject): Limits {
  const limits = asObject(strategy.limits)
  const read = (name: string, otherwise: number) => asNumber(limits[name]) ?? otherwise
  return {
    failureRate: read('failure_rate', 0.01),
    stopRate: read('stop_rate', 0.5),
    stopAfter: read('stop_after', 8),
    silentShare: read('silent_share', 0.5),
    latencyMs: asNumber(limits.latency_ms),
    latencyQuantile: read('latency_quantile', 0.9),
    failureMargin: read('failure_margin', 0.002),
    silenceMargin: read('silence_margin', 0.01),
    slowdownMargin: read('slowdown_margin', 0.05),
    driftMargin: read('drift_margin', 0.1),
  }
}
