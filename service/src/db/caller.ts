// The companies of the caller that the running code works for. Authorization sets them for a request; `limited-access.ts`
// reads them. Code that runs for no caller is limited to no company at all, so that it sees nothing.
import { AsyncLocalStorage } from 'node:async_hooks'

/** The ids of the companies whose records are visible; null is all of them. */
export type Companies = readonly string[] | null

const NONE: Companies = []
const callers = new AsyncLocalStorage<{ companies: Companies }>()

/** Runs the work, and everything that it starts, for a caller with these companies. */
export const runAs = <T>(companies: Companies, work: () => T): T => callers.run({ companies }, work)

/** Runs work of the service itself, which sees the records of all companies: a background job, the start. */
export const runUnlimited = <T>(work: () => T): T => runAs(null, work)

export function currentCompanies(): Companies {
  const caller = callers.getStore()
  return caller ? caller.companies : NONE
}

export const isLimitedCaller = () => currentCompanies() !== null

/** For callbacks of streams, which run for no caller: the function runs for the caller that it was bound for. */
export const bindCaller: <T extends (...parameters: never[]) => unknown>(work: T) => T =
  AsyncLocalStorage.bind
