import { useReducedMotion } from '@mantine/hooks'
import { useEffect, useState } from 'react'

const EACH_MS = 1000

/**
 * Returns how many steps live values have made, and what the button about them says and does. For people who want
 * little motion nothing goes on by itself: each press is a step.
 */
export function useSteps(): { step: number; says: string; press: () => void } {
  const wantsLittle = useReducedMotion()
  const [step, setStep] = useState(0)
  const [isRunning, setRunning] = useState(false)
  const runs = isRunning && !wantsLittle
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setStep((before) => before + 1), EACH_MS)
    return () => clearInterval(timer)
  }, [runs])
  if (wantsLittle) return { step, says: 'Next values', press: () => setStep((before) => before + 1) }
  return { step, says: isRunning ? 'Stop' : 'Go live', press: () => setRunning((before) => !before) }
}
