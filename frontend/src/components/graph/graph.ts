/** The types of a directed graph. */
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from '@/lib/tone'

export type GraphNode = {
  id: string
  label: string
  /** Text below the label: the status in a word or two, matching icon and tone. */
  note?: ReactNode
  icon: LucideIcon
  tone: Tone
  /** Whether the subject of the graph is in this node now. */
  isCurrent?: boolean
  /** Whether the node is only possible, or was never reached. */
  isFaint?: boolean
}

export type GraphEdge = {
  from: string
  to: string
  label?: string
  tone?: Tone
  /** Whether it belongs to the main line, which is drawn straight. */
  isMain?: boolean
  /** Whether nothing has gone along it; dashed. */
  isFaint?: boolean
}

export type Point = { x: number; y: number }
