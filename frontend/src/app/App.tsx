import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { makeQueryClient } from '@/api/queryClient'
import { Toasts } from '@/components/toasts'
import { nonce } from './nonce'
import { fetchPage, router } from './router'
import { SessionGate, useIsDebug } from './session/SessionGate'
import { cssVariables, theme } from './theme'

const queryClient = makeQueryClient()
fetchPage()
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
  const context = useMemo(() => ({ isDebug }), [isDebug])
  return <RouterProvider router={router} context={context} />
}
