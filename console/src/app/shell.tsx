import { Burger, Group, Kbd, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { DialogHost } from '../dialogs/dialog-host.tsx'
import { uploadQueue } from '../files/uploads.ts'
import { type Action, isTyping, keysOf, useActions } from './actions.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { LANGUAGES, type Language, useTexts } from './i18n.tsx'
import { Icon } from './icons.tsx'
import { OfflineBanner, SessionEnded } from './interruptions.tsx'
import { AppLink, useGo } from './router.tsx'
import { SCREENS, type ScreenEntry } from './screens.ts'
import { useSession } from './session.tsx'

/** A part of the shell must not fail for good because the service did not respond for a while. */
async function persistently<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch {
      await new Promise(resolve => setTimeout(resolve, RELOAD_MS))
    }
  }
}

/** What is not part of the first screen must not delay it. */
async function whenIdle<T>(load: () => Promise<T>): Promise<T> {
  await idle()
  // What was drawn is painted first.
  await new Promise(resolve => requestAnimationFrame(resolve))
  await idle()
  return persistently(load)
}

const idle = () =>
  new Promise<void>(resolve => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_MS })
    else setTimeout(resolve, IDLE_MS / 10)
  })

const RELOAD_MS = 2_000
const KEEP_MS = 3_000
const IDLE_MS = 1_000
const loadPalette = () => persistently(() => import('./palette.tsx'))
const Palette = lazy(loadPalette)
const HeaderMenus = lazy(() => whenIdle(() => import('./header-menus.tsx')))
const NotificationList = lazy(() => whenIdle(() => import('./notifications.tsx')))
const UploadList = lazy(() => persistently(() => import('../files/upload-list.tsx')))
const ShortcutHelp = lazy(() => persistently(() => import('./shortcut-help.tsx')))

const GROUPS = ['work', 'oversight', 'setup'] as const

export function Shell() {
  const { t } = useTexts()
  const session = useSession()
  const [isNavOpen, nav] = useDisclosure(false)
  const [isHelpOpen, help] = useDisclosure(false)
  const palette = usePalette()
  const hasUploads = useSyncExternalStore(uploadQueue.subscribe, () => uploadQueue.current().length > 0)
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const offered = useMemo(
    () =>
      SCREENS.filter(
        screen => screen.nav && session.can(...screen.scopes) && !(screen.isForOffice && session.isContact),
      ),
    [session],
  )
  useLiveRefresh()
  useShellActions(offered, { openHelp: help.open, openPalette: palette.open })

  // Another screen closes the navigation of narrow windows.
  useEffect(() => nav.close(), [pathname])

  return (
    <div className="shell">
      <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <header className="shell-header no-print">
        <Burger
          opened={isNavOpen}
          onClick={nav.toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={t('shell.navigation')}
          aria-expanded={isNavOpen}
        />
        <AppLink to="/" className="brand" aria-label="Caseport">
          <Mark />
          <Text component="span" fw={650} fz="lg" visibleFrom="sm">
            Caseport
          </Text>
        </AppLink>
        <UnstyledButton className="search-button" onClick={palette.open} aria-keyshortcuts="Control+K">
          <Icon name="search" size={16} />
          <span className="search-text">{t('shell.search')}</span>
          <Group gap={4} component="span" visibleFrom="sm">
            {keysOf('mod+k').map(key => (
              <Kbd key={key} size="xs">
                {key}
              </Kbd>
            ))}
          </Group>
        </UnstyledButton>
        <div className="header-menus">
          <Suspense fallback={null}>
            <HeaderMenus onHelp={help.open} />
          </Suspense>
        </div>
      </header>
      <nav
        className={isNavOpen ? 'shell-nav is-open no-print' : 'shell-nav no-print'}
        aria-label={t('shell.navigation')}
      >
        {GROUPS.map(group => (
          <NavGroup key={group} screens={offered.filter(screen => screen.nav?.group === group)} />
        ))}
      </nav>
      <main id="main" ref={main} tabIndex={-1} className="main">
        <OfflineBanner />
        <ErrorBoundary resetKey={pathname}>
          <Outlet />
        </ErrorBoundary>
        {hasUploads && (
          <Suspense fallback={null}>
            <UploadList />
          </Suspense>
        )}
      </main>
      <Suspense fallback={null}>
        <NotificationList />
        {palette.openings > 0 && <Palette openings={palette.openings} takeTyped={palette.takeTyped} />}
        {isHelpOpen && <ShortcutHelp isOpen onClose={help.close} />}
      </Suspense>
      <DialogHost />
      <SessionEnded />
    </div>
  )
}

/** Lists follow the change feed. A person who may not read it sees changes when the window gets the focus. */
function useLiveRefresh(): void {
  const client = useQueryClient()
  const { can } = useSession()
  const mayFollow = can('applicants:read') || can('cases:read') || can('documents:read')
  useEffect(() => {
    if (!mayFollow) return
    let stop: (() => void) | undefined
    let isWanted = true
    // At once: what changes between the first read and the begin of the stream is missed.
    void persistently(() => import('../live/live-refresh.ts')).then(({ startLiveRefresh }) => {
      if (isWanted) stop = startLiveRefresh(client)
    })
    return () => {
      isWanted = false
      stop?.()
    }
  }, [client, mayFollow])
}

/**
 * The palette is loaded when the browser is idle, and mounted when it is first opened. What is typed until its field has
 * the focus is kept for it, and is no shortcut.
 */
function usePalette() {
  /** How often it was opened. */
  const [openings, setOpenings] = useState(0)
  const kept = useRef<ReturnType<typeof keepTyped>>(undefined)
  const takeTyped = useCallback(() => {
    const { text = '', stop } = kept.current ?? {}
    kept.current = undefined
    stop?.()
    return text
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), 2_000)
    return () => {
      clearTimeout(timer)
      takeTyped()
    }
  }, [takeTyped])
  const open = useCallback(() => {
    kept.current ??= keepTyped()
    setOpenings(count => count + 1)
  }, [])
  return { openings, open, takeTyped }
}

/** Keeps what is typed from the page, until it is stopped. Not for long: the palette may not be loaded without a network. */
function keepTyped() {
  const from = document.activeElement
  const stop = () => {
    clearTimeout(timer)
    document.removeEventListener('keydown', onKey, { capture: true })
  }
  const timer = setTimeout(stop, KEEP_MS)
  const kept = { text: '', stop }
  function onKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey) return
    if (event.key === 'Escape') return stop()
    if (event.target !== from && isTyping(event.target)) return
    if (event.key.length === 1) kept.text += event.key
    else if (event.key === 'Backspace') kept.text = kept.text.slice(0, -1)
    // It would press what has the focus.
    else if (event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('keydown', onKey, { capture: true })
  return kept
}

function Mark() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1b6a70" />
      <path d="M21 12a6 6 0 1 0 0 8" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
    </svg>
  )
}

function NavGroup({ screens }: { screens: ScreenEntry[] }) {
  const { t } = useTexts()
  const { pathname } = useLocation()
  if (screens.length === 0) return null
  return (
    <ul className="nav-group">
      {screens.map(({ id, path, title, nav }) => {
        const isActive =
          path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`)
        return (
          <li key={id}>
            <AppLink to={path} className="nav-link" aria-current={isActive ? 'page' : undefined}>
              {nav && <Icon name={nav.icon} />}
              {t(title)}
            </AppLink>
          </li>
        )
      })}
    </ul>
  )
}

function useShellActions(
  screens: ScreenEntry[],
  { openHelp, openPalette }: { openHelp: () => void; openPalette: () => void },
): void {
  const { t, language, setLanguage } = useTexts()
  const { signOut } = useSession()
  const { toggleColorScheme } = useMantineColorScheme()
  const go = useGo()
  const latest = useRef({ go, openHelp, openPalette, toggleColorScheme, signOut })
  latest.current = { go, openHelp, openPalette, toggleColorScheme, signOut }
  const actions = useMemo<Action[]>(() => {
    const general = t('shell.group.general')
    const other: Language = language === 'en' ? 'de' : 'en'
    return [
      ...screens.flatMap(({ id, path, title, nav }) =>
        nav
          ? [
              {
                id: `go-${id}`,
                label: t(title),
                icon: nav.icon,
                group: t('shell.group.go'),
                shortcut: nav.shortcut,
                run: () => latest.current.go(path),
              },
            ]
          : [],
      ),
      {
        id: 'palette',
        label: t('shell.search'),
        icon: 'search',
        group: general,
        shortcut: 'mod+k',
        run: () => latest.current.openPalette(),
      },
      {
        id: 'shortcuts',
        label: t('shell.shortcuts'),
        icon: 'keyboard',
        group: general,
        shortcut: '?',
        run: () => latest.current.openHelp(),
      },
      {
        id: 'scheme',
        label: t('shell.toggleScheme'),
        icon: 'moon',
        group: general,
        run: () => latest.current.toggleColorScheme(),
      },
      {
        id: 'language',
        label: LANGUAGES[other],
        icon: 'language',
        group: general,
        run: () => setLanguage(other),
      },
      {
        id: 'sign-out',
        label: t('shell.signOut'),
        icon: 'signOut',
        group: general,
        run: () => void latest.current.signOut(),
      },
    ] satisfies Action[]
  }, [screens, t, language, setLanguage])
  useActions(actions)
}
