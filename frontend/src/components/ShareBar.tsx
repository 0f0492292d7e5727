import { share } from '@/lib/format'
import { TONE_COLOR, type Tone } from '@/lib/tone'
import classes from './components.module.css'

type Props = { part: number; whole: number; tone: Tone; label: string }

/** A share as a bar; the numbers stand beside it. */
export function ShareBar({ part, whole, tone, label }: Props) {
  const width = `${100 * share(part, whole)}%`
  return (
    <div className={classes.bar} role="img" aria-label={`${part} of ${whole} ${label}`}>
      <div style={{ width, background: TONE_COLOR[tone] }} />
    </div>
  )
}
