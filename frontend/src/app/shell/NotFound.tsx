import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { EmptyState } from '@/components/EmptyState'

export function NotFound() {
  return (
    <EmptyState icon={Compass} title="There is no such page">
      The address may be mistyped, or what it named is gone. <Link to="/">To the fleet</Link>
    </EmptyState>
  )
}
