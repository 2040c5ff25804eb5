import { isCaseportError } from '@caseport/sdk'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ActionsProvider } from './actions.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { loadFirstScreen } from './first-screen.ts'
import { TextsProvider } from './i18n.tsx'
import { nonce, wasSignedIn } from './page.ts'
import { router } from './router.tsx'
import { SessionGate } from './session.tsx'
import { cssVariables, theme } from './theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: true,
      // The SDK retries what can succeed later, and the banner refetches when the service is back.
      retry: (failures, error) => isCaseportError(error, 'network-error') && failures < 2,
    },
  },
})

export const firstScreen = wasSignedIn ? loadFirstScreen(queries) : Promise.resolve()

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <TextsProvider>
        <QueryClientProvider client={queries}>
          <ErrorBoundary>
            <SessionGate>
              <ActionsProvider>
                <RouterProvider router={router} />
              </ActionsProvider>
            </SessionGate>
          </ErrorBoundary>
        </QueryClientProvider>
      </TextsProvider>
    </MantineProvider>
  )
}
