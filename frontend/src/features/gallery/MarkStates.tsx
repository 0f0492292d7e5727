import { Hourglass } from 'lucide-react'
import { ReleaseStateMark } from '@/components/ReleaseStateMark'
import { StatusMark } from '@/components/StatusMark'
import { RELEASE_STATES } from '@/lib/releaseState'
import type { Tone } from '@/lib/tone'
import { LONG } from './samples'
import { State, States } from './States'

const TONES: Record<Tone, string> = {
  ok: 'complete',
  running: 'running',
  attention: 'on hold',
  bad: 'failed',
  none: 'not started',
}

/** States with icon, word and hue. */
export function MarkStates() {
  return (
    <States of="StatusMark" about="a state by icon, word and hue">
      {Object.entries(TONES).map(([tone, word]) => (
        <State key={tone} name={`tone: ${tone}`}>
          <StatusMark tone={tone as Tone}>{word}</StatusMark>
        </State>
      ))}
      <State name="an icon of its own">
        <StatusMark tone="attention" icon={Hourglass}>
          waits for approval
        </StatusMark>
      </State>
      <State name="long, in a cell that ends">
        <div style={{ overflow: 'hidden' }}>
          <StatusMark tone="bad">{LONG}</StatusMark>
        </div>
      </State>
      {RELEASE_STATES.map((state) => (
        <State key={state} name={`release: ${state}`}>
          <ReleaseStateMark state={state} />
        </State>
      ))}
    </States>
  )
}
