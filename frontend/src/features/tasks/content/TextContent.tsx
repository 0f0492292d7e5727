import { useMemo } from 'react'
import { count } from '@/lib/format'
import { beginningOf, languageOf } from './contentKind'
import { highlight, type Piece } from './highlighting'
import classes from './content.module.css'

/** Source text with numbers of lines and colours. */
export default function TextContent({ path, text }: { path: string; text: string }) {
  const { shown, isCut } = useMemo(() => beginningOf(text), [text])
  const lines = useMemo(() => highlight(shown.replace(/\n$/, ''), languageOf(path)), [shown, path])
  if (text === '') return <p className="muted">The file is empty.</p>
  return (
    <>
      <div className={classes.text} tabIndex={0} role="region" aria-label={`Text of ${path}`}>
        {lines.map((pieces, index) => (
          <Line key={index} number={index + 1} pieces={pieces} />
        ))}
      </div>
      {isCut && (
        <p className="note">Only the first {count(lines.length)} lines are shown. Download the file for all.</p>
      )}
    </>
  )
}

function Line({ number, pieces }: { number: number; pieces: readonly Piece[] }) {
  return (
    <div className={classes.line}>
      <span className={classes.number} aria-hidden="true">
        {number}
      </span>
      <code>
        {pieces.map(({ text, className }, index) =>
          className ? (
            <span key={index} className={className}>
              {text}
            </span>
          ) : (
            text
          ),
        )}
      </code>
    </div>
  )
}
