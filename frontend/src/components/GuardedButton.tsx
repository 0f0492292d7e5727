import { Button, Tooltip, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = Omit<ButtonProps, 'disabled'> & {
  /** Why the person may not use it, and whom to contact; null if they may. */
  missing: string | null
  onClick?: () => void
  /** The element to use instead of a button, such as a link, if the person may. */
  renderRoot?: (props: object) => ReactNode
}

/** A button that explains to people who may not use it why; it stays focusable, so that they can read that. */
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
