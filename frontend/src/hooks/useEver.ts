import { useState } from 'react'

/** Returns whether a condition has ever been true: what it needs is loaded once, and stays. */
export function useEver(condition: boolean): boolean {
  const [been, setBeen] = useState(condition)
  if (condition && !been) setBeen(true)
  return been || condition
}
