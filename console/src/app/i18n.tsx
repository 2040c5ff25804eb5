// Texts in the language of the person. Keys are typed; numbers choose a form by the plural rules of the language.
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { en } from '../locales/en/index.ts'
import { isolated } from '../records/names.ts'

export type Key = keyof typeof en
export type Catalogue = Record<Key, string>
type PluralKey = Key extends infer K ? (K extends `${infer Stem}.other` ? Stem : never) : never
type Values = Record<string, string | number>

/** The names of languages are shown in these languages. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const LOADERS: Record<Language, () => Promise<Catalogue>> = {
  en: async () => en,
  de: async () => (await import('../locales/de/index.ts')).de,
}
const STORAGE_KEY = 'caseport-language'
/** The catalogue of the first screen is requested with the page. */
const firstLanguage = initialLanguage()
const firstCatalogue = LOADERS[firstLanguage]()
// It is loaded again, and shown then, if this fails.
firstCatalogue.catch(() => undefined)

// The first formatter of a page takes 40 ms, whichever it is. The browser has the time while the first requests are under way.
setTimeout(() => new Intl.NumberFormat(firstLanguage))

const MOST_COUNTED = 10_000

export interface Texts {
  language: Language
  setLanguage(language: Language): void
  /** The text of a key, with `{name}` replaced. */
  t(key: Key, values?: Values): string
  /** The text for a number: `key.one` or `key.other`, with `{count}` replaced. */
  tn(key: PluralKey, count: number, values?: Values): string
  /** The text of a key that is only known at run time, or the fallback. */
  tx(key: string, fallback: string): string
  number(value: number): string
  /** A count of the service, which counts to 10,000 and one more. */
  capped(count: number): string
  /** A wall-clock date, such as 2026-11-16, for people. */
  date(value: string | null | undefined): string
  /** A moment, in the time zone of the browser. */
  time(value: string | null | undefined): string
  /** A moment in relation to now, such as "3 days ago". */
  ago(value: string | null | undefined): string
  country(code: string | null | undefined): string
}

const Context = createContext<Texts | undefined>(undefined)

export function useTexts(): Texts {
  const texts = useContext(Context)
  if (!texts) throw new Error('useTexts needs a TextsProvider.')
  return texts
}

function initialLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY)
  const wanted = [stored ?? '', ...navigator.languages].map(tag => tag.slice(0, 2).toLowerCase())
  return wanted.find((tag): tag is Language => Object.hasOwn(LANGUAGES, tag)) ?? 'en'
}

export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => isolated(String(values[name] ?? whole)))
}

export function TextsProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>(firstLanguage)
  const [catalogue, setCatalogue] = useState<{ language: Language; texts: Catalogue } | undefined>(
    language === 'en' ? { language, texts: en } : undefined,
  )

  useEffect(() => {
    let isCurrent = true
    const loading =
      language === firstLanguage ? firstCatalogue.catch(() => LOADERS[language]()) : LOADERS[language]()
    void loading.then(texts => isCurrent && setCatalogue({ language, texts }))
    document.documentElement.lang = language
    return () => {
      isCurrent = false
    }
  }, [language])

  const setLanguage = useCallback((next: Language) => {
    localStorage.setItem(STORAGE_KEY, next)
    choose(next)
  }, [])

  const value = useMemo(
    () => catalogue && createTexts(catalogue.language, catalogue.texts, setLanguage),
    [catalogue, setLanguage],
  )
  return value ? <Context value={value}>{children}</Context> : null
}

export function createTexts(
  language: Language,
  texts: Catalogue,
  setLanguage: (language: Language) => void,
): Texts {
  // British forms: the day comes first, and the month has a name.
  const locale = language === 'en' ? 'en-GB' : language
  // Each of these takes milliseconds to make, and a screen needs few.
  const plural = lazily(() => new Intl.PluralRules(language))
  const numbers = lazily(() => new Intl.NumberFormat(language))
  const dates = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))
  const times = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }))
  const relative = lazily(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
  const countries = lazily(() => new Intl.DisplayNames(language, { type: 'region' }))
  const t = (key: Key, values?: Values) => fill(texts[key] ?? key, values)
  return {
    language,
    setLanguage,
    t,
    tn(key, count, values) {
      const form = `${key}.${plural().select(count)}` as Key
      return fill(texts[form] ?? texts[`${key}.other` as Key], { count: numbers().format(count), ...values })
    },
    tx: (key, fallback) => texts[key as Key] ?? fallback,
    number: value => numbers().format(value),
    capped: count => (count > MOST_COUNTED ? `${numbers().format(MOST_COUNTED)}+` : numbers().format(count)),
    date(value) {
      const day = /^\d{4}-\d{2}-\d{2}/.exec(value ?? '')?.[0]
      return day ? dates().format(new Date(`${day}T00:00:00Z`)) : (value ?? '')
    },
    time: value => (value ? times().format(new Date(value)) : ''),
    ago: value => (value ? relativeTime(relative(), new Date(value).getTime() - Date.now()) : ''),
    country(code) {
      if (!code) return ''
      try {
        return countries().of(code) ?? code
      } catch {
        return code
      }
    },
  }
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const UNITS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

function relativeTime(format: Intl.RelativeTimeFormat, ms: number): string {
  const unit = UNITS.find(([, size]) => Math.abs(ms) >= size)
  return unit ? format.format(Math.round(ms / unit[1]), unit[0]) : format.format(0, 'minute')
}
