import classes from './preformatted.module.css'

/** A text as it is, such as a log; the keyboard scrolls it. */
export function Preformatted({ label, children }: { label: string; children: string }) {
  return (
    <pre className={classes.text} tabIndex={0} aria-label={label}>
      {children}
    </pre>
  )
}
