import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'

type Props = ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>

/** A link to a page that looks like a button. */
export const ButtonLink = createLink((props: Props) => <Button component="a" {...props} />)
