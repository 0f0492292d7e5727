import { useMutation } from '@tanstack/react-query'
import { answer, client } from '@/api/client'
import type { Schemas } from '@/api/schemas'

/** Keeps how the person wants to see the dashboard with their account. */
export function usePreferenceChange(onKept: (preferences: Schemas['Preferences']) => void) {
  return useMutation({
    mutationFn: (body: Schemas['PatchedPreferencesChangeRequest']) => answer(client.PATCH('/api/v1/me', { body })),
    onSuccess: onKept,
  })
}
