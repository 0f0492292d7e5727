import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { prefetch } from '@/api/prefetch'
import { makeQueryClient } from '@/api/queryClient'
import { Toasts } from '@/components/toasts'
import { nonce } from './nonce'
import { fetchPage, router, startLoading } from './router'
import { sessionQuery } from './session/session'
import { SessionGate, useIsDebug } from './session/SessionGate'
import { cssVariables, theme } from './theme'

const queryClient = makeQueryClient()
fetchPage()
prefetch(queryClient, sessionQuery)
const colorScheme = localStorageColorSchemeManager({ key: 'walle-color-scheme' })

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      getStyleNonce={nonce}
    >
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          <Routed />
        </SessionGate>
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  )
}

function Routed() {
  const isDebug = useIsDebug()
  const queryClient = useQueryClient()
  const context = useMemo(() => ({ queryClient, isDebug }), [queryClient, isDebug])
  // Once for each person, before the router renders.
  useState(() => startLoading(context))
  return <RouterProvider router={router} context={context} />
}
