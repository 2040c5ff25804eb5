// The screens: path, who may open them, and where the navigation offers them. A screen is loaded when it is first opened.
import type { ComponentType } from 'react'
import type { Key } from './i18n.tsx'
import type { IconName } from './icons.tsx'
import type { Scope } from './session.tsx'

export interface ScreenEntry {
  /** Its file is `<id>.screen.tsx`. */
  id: string
  /** Below /console; `$name` is a parameter. */
  path: string
  /** The title of the page, and the text of the navigation. */
  title: Key
  /** All of them are needed. */
  scopes: Scope[]
  load: () => Promise<{ default: ComponentType }>
  /** A contact of one company is not offered it, but may follow a link to it. */
  isForOffice?: boolean
  nav?: { icon: IconName; group: 'work' | 'oversight' | 'setup'; shortcut: string }
}

export const SCREENS: readonly ScreenEntry[] = [
  {
    id: 'today',
    path: '/',
    title: 'today.title',
    scopes: ['desk:read'],
    load: () => import('../screens/today/today.screen.tsx'),
    nav: { icon: 'home', group: 'work', shortcut: 'g t' },
  },
  {
    id: 'people',
    path: '/people',
    title: 'people.title',
    scopes: ['desk:read'],
    load: () => import('../screens/people/people.screen.tsx'),
    nav: { icon: 'people', group: 'work', shortcut: 'g p' },
  },
  {
    id: 'person',
    path: '/people/$applicantId',
    title: 'person.title',
    scopes: ['applicants:read'],
    load: () => import('../screens/person/person.screen.tsx'),
  },
  {
    id: 'cases',
    path: '/cases',
    title: 'cases.title',
    scopes: ['desk:read'],
    load: () => import('../screens/cases/cases.screen.tsx'),
    nav: { icon: 'cases', group: 'work', shortcut: 'g c' },
  },
  {
    id: 'new-case',
    path: '/cases/new',
    title: 'newCase.title',
    scopes: ['desk:read', 'cases:write'],
    load: () => import('../screens/new-case/new-case.screen.tsx'),
  },
  {
    id: 'case',
    path: '/cases/$caseId',
    title: 'case.title',
    scopes: ['cases:read', 'desk:read'],
    load: () => import('../screens/case/case.screen.tsx'),
  },
  {
    id: 'documents',
    path: '/documents',
    title: 'documents.title',
    scopes: ['desk:read'],
    load: () => import('../screens/documents/documents.screen.tsx'),
    isForOffice: true,
    nav: { icon: 'document', group: 'work', shortcut: 'g d' },
  },
  {
    id: 'duplicates',
    path: '/duplicates',
    title: 'duplicates.title',
    scopes: ['desk:read'],
    load: () => import('../screens/duplicates/duplicates.screen.tsx'),
    isForOffice: true,
    nav: { icon: 'duplicates', group: 'oversight', shortcut: 'g u' },
  },
  {
    id: 'imports',
    path: '/imports',
    title: 'imports.title',
    scopes: ['applicants:write'],
    load: () => import('../screens/imports/imports.screen.tsx'),
    isForOffice: true,
    nav: { icon: 'upload', group: 'oversight', shortcut: 'g i' },
  },
  {
    id: 'import',
    path: '/imports/$importId',
    title: 'imports.one',
    scopes: ['applicants:write'],
    load: () => import('../screens/imports/import.screen.tsx'),
  },
  {
    id: 'audit',
    path: '/audit',
    title: 'audit.title',
    scopes: ['audit:read'],
    load: () => import('../screens/audit/audit.screen.tsx'),
    nav: { icon: 'shield', group: 'oversight', shortcut: 'g a' },
  },
  {
    id: 'connections',
    path: '/connections',
    title: 'connections.title',
    scopes: ['webhooks:write'],
    load: () => import('../screens/connections/connections.screen.tsx'),
    nav: { icon: 'connections', group: 'setup', shortcut: 'g n' },
  },
  {
    id: 'setup',
    path: '/setup',
    title: 'setup.title',
    scopes: ['setup:write'],
    load: () => import('../screens/setup/setup.screen.tsx'),
    nav: { icon: 'setup', group: 'setup', shortcut: 'g s' },
  },
  {
    id: 'account',
    path: '/account',
    title: 'account.title',
    scopes: [],
    load: () => import('../screens/account/account.screen.tsx'),
  },
]

/** The screen of a path below /console. */
export function screenOf(path: string): ScreenEntry | undefined {
  const segments = path.replace(/\/+$/, '').split('/')
  const matches = (pattern: string) => {
    const wanted = pattern.replace(/\/+$/, '').split('/')
    return (
      wanted.length === segments.length &&
      wanted.every((part, at) => part.startsWith('$') || part === segments[at])
    )
  }
  return SCREENS.find(screen => matches(screen.path))
}
