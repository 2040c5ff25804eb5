// Routes from the list of screens. The query of an address is plain text, so that it can be read, shared and saved.
import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  useNavigate,
  useSearch,
} from '@tanstack/react-router'
import { type ComponentProps, type ComponentType, type ReactNode, useEffect } from 'react'
import { Icon } from './icons.tsx'
import { servicePath } from './page.ts'
import { SCREENS, type ScreenEntry } from './screens.ts'
import { useSession } from './session.tsx'
import { Shell } from './shell.tsx'
import { CenteredLoader, ErrorState, NoPermission, NotFound } from './states.tsx'

export type Search = Record<string, string>

export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text))
export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })

function routeOf({ path, load, scopes }: ScreenEntry) {
  const Screen = lazyRouteComponent(load) as ComponentType & { preload?: () => Promise<void> }
  const Guarded = () => {
    useRememberedSearch(path)
    return useSession().can(...scopes) ? <Screen /> : <NoPermission />
  }
  // The router loads it before it shows it, and when a link to it gets the pointer.
  const component = Object.assign(Guarded, { preload: async () => Screen.preload?.() })
  return createRoute({ getParentRoute: () => rootRoute, path, component })
}

export const router = createRouter({
  routeTree: rootRoute.addChildren(SCREENS.map(routeOf)),
  basepath: `${servicePath}/console`,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: CenteredLoader,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
  defaultPreload: 'intent',
  scrollRestoration: false,
})

interface AppLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** Below /console, such as `/people`. */
  to: string
  search?: Search
  children: ReactNode
}

/** A link to a screen. */
export function AppLink({ to, search, ...rest }: AppLinkProps) {
  return <Link {...(rest as object)} to={to as never} search={(search ?? {}) as never} />
}

interface PlainLinkProps {
  to: string
  className: string
  children: ReactNode
}

/** A link in a row of a list: `Link` would listen to the router in each of them, and be drawn with every filter. */
export function PlainLink({ to, ...rest }: PlainLinkProps) {
  return (
    <a
      {...rest}
      href={`${servicePath}/console${to}`}
      tabIndex={-1}
      onPointerEnter={() => void router.preloadRoute({ to: to as never }).catch(() => undefined)}
      onClick={event => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        void router.navigate({ to: to as never })
      }}
    />
  )
}

const useSearchKey = (path: string) => `caseport-search-${useSession().me.userId ?? ''}-${path}`

/** Keeps the filters of a screen for the links back to it. */
function useRememberedSearch(path: string): void {
  const search = useSearch({ strict: false }) as Search
  const key = useSearchKey(path)
  useEffect(() => {
    try {
      sessionStorage.setItem(key, stringifySearch(search))
    } catch {
      // Storage is full or forbidden: the link leads to all records.
    }
  }, [key, search])
}

/** From a record to its list, with the filters that the list had. */
export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  const search = parseSearch(sessionStorage.getItem(useSearchKey(to)) ?? '')
  return (
    <AppLink to={to} search={search} className="back-link no-print">
      <Icon name="arrowLeft" size={15} /> {children}
    </AppLink>
  )
}

/** Opens a screen: `go('/people', { q: 'schmidt' })`. */
export function useGo() {
  const navigate = useNavigate()
  return (to: string, search: Search = {}) => void navigate({ to: to as never, search: search as never })
}
