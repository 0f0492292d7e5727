/** The four hues of a status, always shown with an icon and a word. */
export type Tone = 'ok' | 'running' | 'attention' | 'bad' | 'none'

export const TONE_COLOR: Record<Tone, string> = {
  ok: 'var(--ok)',
  running: 'var(--running)',
  attention: 'var(--attention)',
  bad: 'var(--bad)',
  none: 'var(--muted)',
}
