import { Button, Tooltip, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = Omit<ButtonProps, 'disabled'> & {
  /** Why the person may not, and whom to ask; null where they may. */
  missing: string | null
  onClick?: () => void
  /** What it is instead of a button, such as a link, where the person may. */
  renderRoot?: (props: object) => ReactNode
}

/** A button that tells those who may not use it why; it stays reachable, or nobody would hear. */
export function GuardedButton({ missing, onClick, renderRoot, ...props }: Props) {
  if (missing === null) {
    return <Button {...props} {...(onClick && { onClick })} {...(renderRoot && { renderRoot })} />
  }
  return (
    <Tooltip label={missing} multiline w={280} events={{ hover: true, focus: true, touch: true }}>
      <Button {...props} data-disabled aria-disabled="true" aria-description={missing} />
    </Tooltip>
  )
}
