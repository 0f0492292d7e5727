/** A directed graph as the pages say it. */
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from '@/lib/tone'

export type GraphNode = {
  id: string
  label: string
  /** Below the label: its status in a word or two, the same as its icon and tone say. */
  note?: ReactNode
  icon: LucideIcon
  tone: Tone
  /** What the graph is about is here now. */
  isCurrent?: boolean
  /** It may come to be, or could have. */
  isFaint?: boolean
}

export type GraphEdge = {
  from: string
  to: string
  label?: string
  tone?: Tone
  /** It belongs to the main line, which is kept straight. */
  isMain?: boolean
  /** Nothing has gone along it; dashed. */
  isFaint?: boolean
}

export type Point = { x: number; y: number }
