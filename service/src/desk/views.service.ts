// Saved views: the filters and the order of a list under a name, for one caller or for the team.
import type { Sql } from '../db/database.ts'
import type { UnitOfWork } from '../db/unit-of-work.ts'
import { fold } from '../lib/fold.ts'
import { isId, newId } from '../lib/ids.ts'
import type { Principal } from '../lib/principal.ts'
import { declareProblem } from '../lib/problem.ts'
import type { SavedView } from './views.store.ts'
import * as store from './views.store.ts'

export type { SavedView } from './views.store.ts'

export const viewNotFound = declareProblem({
  code: 'view-not-found',
  status: 404,
  title: 'There is no saved view with this id.',
  remedy: 'List the views with GET /admin/v1/views.',
})
export const viewNameInUse = declareProblem({
  code: 'view-name-in-use',
  status: 409,
  title: 'The caller has another view of this screen with this name.',
  remedy: 'Change that view, or choose another name. Names that differ only in case are equal.',
})
export const viewOfAnother = declareProblem({
  code: 'view-of-another-caller',
  status: 403,
  title: 'A shared view is changed by its owner only, and removed by its owner or an administrator.',
  remedy: 'Save a view of your own with the same query.',
})
export const sharingNotAllowed = declareProblem({
  code: 'sharing-not-allowed',
  status: 403,
  title: 'Sharing a view with the team needs the scope desk:write.',
  remedy: 'Send `shared` as false, or ask a user with the role case-manager to share it.',
})
export const tooManyViews = declareProblem({
  code: 'too-many-views',
  status: 409,
  title: 'The caller has as many views as it can save.',
  remedy: 'Remove views that are no longer needed.',
})

export const viewConstraints = { saved_views_name: viewNameInUse }

const MOST_VIEWS = 200

export interface ViewInput {
  screen: string
  name: string
  query: Record<string, string>
  shared?: boolean
}

type Caller = Pick<Principal, 'clientId' | 'scopes'>

/** What the audit compares. */
const fieldsOf = ({ screen, name, query, shared }: Omit<ViewInput, 'shared'> & { shared: boolean }) => ({
  screen,
  name,
  query,
  shared,
})

export type Views = ReturnType<typeof createViews>

export function createViews(sql: Sql) {
  const requireSharing = (shared: boolean, { scopes }: Caller) => {
    if (shared && !scopes.has('desk:write')) throw sharingNotAllowed()
  }

  /** The view, locked, where the caller sees it. */
  const lock = async ({ tx }: UnitOfWork, viewId: string, { clientId }: Caller): Promise<SavedView> => {
    const view = isId(viewId) ? await store.lockView(tx, { viewId, ownerId: clientId }) : undefined
    if (!view) throw viewNotFound()
    return view
  }

  return {
    list: ({ clientId }: Caller, screen?: string) => store.listViews(sql, { ownerId: clientId, screen }),

    async get(viewId: string, { clientId }: Caller): Promise<SavedView> {
      const view = isId(viewId) ? await store.findView(sql, { viewId, ownerId: clientId }) : undefined
      if (!view) throw viewNotFound()
      return view
    },

    async create(
      unit: UnitOfWork,
      { shared = false, ...input }: ViewInput,
      caller: Caller,
    ): Promise<SavedView> {
      requireSharing(shared, caller)
      const ownerId = caller.clientId
      await store.lockOwner(unit.tx, ownerId)
      if ((await store.countViews(unit.tx, ownerId)) >= MOST_VIEWS) throw tooManyViews()
      const view = { ...input, shared, ownerId, viewId: newId<'view'>() as string }
      unit.audit({ action: 'view.create', recordId: view.viewId, after: fieldsOf(view) })
      return store.insertView(unit.tx, { ...savingOf(unit, view), view })
    },

    async merge(
      unit: UnitOfWork,
      viewId: string,
      {
        changes,
        caller,
        requireState,
      }: {
        changes: Partial<Omit<ViewInput, 'screen'>>
        caller: Caller
        requireState: (etag: string) => void
      },
    ): Promise<SavedView> {
      const current = await lock(unit, viewId, caller)
      if (current.ownerId !== caller.clientId) throw viewOfAnother()
      requireState(etagOf(current))
      const view = { ...current, ...changes }
      requireSharing(view.shared, caller)
      unit.audit({
        action: 'view.write',
        recordId: viewId,
        before: fieldsOf(current),
        after: fieldsOf(view),
      })
      if (JSON.stringify(fieldsOf(view)) === JSON.stringify(fieldsOf(current))) return current
      return store.updateView(unit.tx, { ...savingOf(unit, view), view })
    },

    async remove(unit: UnitOfWork, viewId: string, caller: Caller): Promise<void> {
      const view = await lock(unit, viewId, caller)
      // A shared view may outlive its owner's account.
      if (view.ownerId !== caller.clientId && !caller.scopes.has('admin')) throw viewOfAnother()
      unit.audit({ action: 'view.delete', recordId: viewId, before: fieldsOf(view) })
      await store.deleteView(unit.tx, viewId)
    },

    /** After an owner has lost companies: its views stay visible to it, with the companies that it has now. */
    limitOf: ({ tx }: UnitOfWork, ownerId: string, companies: readonly string[]): Promise<void> =>
      store.limitViewsOf(tx, { ownerId, companies }),
  }
}

const savingOf = ({ actor, now }: UnitOfWork, { name }: { name: string }) => ({
  nameKey: fold(name),
  companies: actor.companies,
  now,
})

export function etagOf({ version }: SavedView): string {
  return `"${version}"`
}
