// What a day at the desk begins with: the counts of the overview, and the global search.
import type { ApplicantSearch } from '../applicants/search.service.ts'
import type { CaseList } from '../cases/case-list.service.ts'
import type { Companies } from '../companies/companies.service.ts'
import type { DocumentList } from '../documents/document-list.service.ts'
import type { Webhooks } from '../events/webhooks.service.ts'
import type { Imports } from '../imports/imports.service.ts'

/** Results of each kind. */
export const MOST_RESULTS = 10

interface Options {
  caseList: CaseList
  documentList: DocumentList
  applicantSearch: ApplicantSearch
  companies: Companies
  webhooks: Webhooks
  imports: Imports
}

export type Desk = ReturnType<typeof createDesk>

export function createDesk({
  caseList,
  documentList,
  applicantSearch,
  companies,
  webhooks,
  imports,
}: Options) {
  return {
    async overview() {
      const [cases, expiring, failingWebhooks, heldImports] = await Promise.all([
        caseList.counts(),
        documentList.countExpiring(),
        webhooks.countFailing(),
        imports.countHeld(),
      ])
      return { cases, expiring, failingWebhooks, heldImports }
    },

    async search(q: string) {
      const [people, cases, documents, found] = await Promise.all([
        applicantSearch.best(q, MOST_RESULTS),
        caseList.search(q, MOST_RESULTS),
        documentList.search(q, MOST_RESULTS),
        companies.search(q, MOST_RESULTS),
      ])
      return { people, cases, documents, companies: found, today: caseList.today() }
    },
  }
}
