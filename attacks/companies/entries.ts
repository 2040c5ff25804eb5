// What each operation of openapi.json is sent: the ids that its path, query or body names, and what a caller of another
// company must get. An operation that has no entry here fails the attack.
import type { Json } from '../support/samples.ts'
import { dayFromNow, type Ids } from './records.ts'

export interface Entry {
  /**
   * - `record`: names a record. One of another company is like one that does not exist.
   * - `creates`: names a record, and would create it if no record had that id. `expected` is what decision 18 leaves visible.
   * - `list`: may name records in its query, and returns what the caller sees.
   * - `audit`: a list that also has the calls of this attack. It is read by audit-log.ts.
   * - `own`: is about the caller itself, or names no record.
   * - `public`: needs no credentials.
   */
  kind: 'record' | 'creates' | 'list' | 'audit' | 'own' | 'public'
  /** Names of ids, where they are not those of the path parameters. */
  parameters?: Record<string, string>
  body?: (ids: Ids) => Json
  form?: (ids: Ids) => URLSearchParams
  /** A body of another media type. */
  text?: (ids: Ids) => { type: string; content: string }
  multipart?: (ids: Ids) => [name: string, value: string, fileName?: string][]
  queries?: (ids: Ids) => Record<string, string>[]
  /** For a record of another company, to a caller with the scope; 404 where nothing is given. */
  expected?: { status: number; code: string }
  /** The status for a caller of the company itself, if not 2xx. */
  control?: number | number[]
  /** Sent late to the records of the caller itself, because it changes what others need. */
  rank?: number
  /** Ends the session that it is sent with. */
  endsSession?: true
}

const record = (entry: Omit<Entry, 'kind'> = {}): Entry => ({ kind: 'record', ...entry })
const creates = (entry: Omit<Entry, 'kind'>): Entry => ({ kind: 'creates', ...entry })
const list = (entry: Omit<Entry, 'kind'> = {}): Entry => ({ kind: 'list', ...entry })
const own = (entry: Omit<Entry, 'kind'> = {}): Entry => ({ kind: 'own', ...entry })
const open = (entry: Omit<Entry, 'kind'> = {}): Entry => ({ kind: 'public', ...entry })
const SETUP = { expected: { status: 403, code: 'all-companies-required' }, control: 403 }

const range = () => ({ startDate: dayFromNow(-1), endDate: dayFromNow(1) })
const times = () => ({ from: dayFromNow(-1), to: dayFromNow(1) })
const job = () => ({ primaryApplicant: { jobTitle: 'Spy' } })
const person = ({ firstName, lastName }: Ids) => ({ firstName, lastName, dateOfBirth: '1990-05-31' })
const child = ({ dependentFirstName, lastName }: Ids) => ({
  firstName: dependentFirstName,
  lastName,
  relationship: 'Child',
  dateOfBirth: '2018-09-12',
})
const WRONG = 'nobody has this password'

export const ENTRIES: Record<string, Entry> = {
  // Applicants
  getApplicant: record(),
  getApplicantByEmployeeNumber: record(),
  getDependents: record(),
  getDependentsByEmployeeNumber: record(),
  getDependent: record(),
  getDependentByEmployeeNumber: record(),
  mergeApplicant: record({ body: job }),
  mergeApplicantByEmployeeNumber: record({ body: job }),
  saveDependent: record({ body: ids => ({ ...child(ids), firstName: 'Spy' }) }),
  saveDependentByEmployeeNumber: record({ body: child }),
  mergeDependentByEmployeeNumber: record({ body: () => ({ jobTitle: 'Spy' }) }),
  changeDependentEmployeeNumber: record({
    body: ({ dependentFirstName }) => ({ firstName: dependentFirstName, dateOfBirth: '2018-09-12' }),
    rank: 2,
  }),
  changeEmployeeNumber: record({
    parameters: { oldEmployeeNumber: 'employeeNumber' },
    body: person,
    rank: 3,
  }),
  restoreApplicant: record({ parameters: { applicantId: 'archivedId' }, body: () => ({}) }),
  getFoundApplicant: record(),
  getApplicantTimeline: record(),
  uploadApplicantDocument: record({
    multipart: () => [
      ['countryCode', 'DE'],
      ['document', '%PDF-1.7 a permit', 'permit.pdf'],
    ],
  }),
  mergeApplicantRecords: record({ body: ({ twinId }) => ({ from: twinId, dryRun: true }) }),
  dismissDuplicate: record({
    body: ({ applicantId, twinId }) => ({ applicantIds: [applicantId, twinId] }),
  }),
  listDuplicates: list({
    queries: ({ applicantId }) => [{}, { maxRecords: '1' }, { applicantId: applicantId ?? '' }],
  }),
  listMerges: list({
    queries: ({ mergedId }) => [{}, { maxRecords: '1' }, { applicantId: mergedId ?? '' }],
  }),
  undoMerge: record({ body: () => ({}) }),
  saveApplicant: creates({
    body: ({ employeeNumber, ownCompanyId, ...ids }) => ({
      primaryApplicant: { ...person(ids), employeeNumber, sendingCompany: ownCompanyId },
    }),
    expected: { status: 409, code: 'employee-number-in-use' },
    control: 409,
  }),
  updateApplicant: creates({
    body: ids => ({ primaryApplicant: person(ids) }),
    expected: { status: 404, code: 'applicant-not-found' },
    rank: 1,
  }),
  saveApplicantByEmployeeNumber: creates({
    body: ids => ({ primaryApplicant: person(ids) }),
    expected: { status: 409, code: 'employee-number-in-use' },
    rank: 1,
  }),
  searchApplicants: list({
    queries: ({ lastName, employeeNumber, email, passportNumber }) => [
      {},
      { maxRecords: '1' },
      { archived: 'true' },
      { q: lastName ?? '' },
      { q: employeeNumber ?? '' },
      { name: lastName ?? '' },
      { employeeNumber: employeeNumber ?? '' },
      { email: email ?? '' },
      { passportNumber: passportNumber ?? '' },
    ],
  }),

  // Imports. The rows of a file are results of the import: that one names a number of another company is not in the response.
  createImport: own({
    text: ({ employeeNumber, ...ids }) => ({
      type: 'application/x-ndjson',
      content: `${JSON.stringify({ primaryApplicant: { ...person(ids), employeeNumber } })}\n`,
    }),
    queries: () => [{ dryRun: 'true' }],
  }),
  listImports: list({ queries: () => [{}, { maxRecords: '1' }, { status: 'completed' }] }),
  getImport: record(),
  getImportRows: record(),
  getImportRowContent: record(),
  releaseImport: record({ rank: 1 }),
  // It may have ended since its release.
  cancelImport: record({ rank: 2, control: [200, 409] }),

  // Cases
  createCase: creates({
    body: ({ ownCompanyId, employeeNumber, ...ids }) => ({
      caseType: 'Work Permit',
      hostCompany: ownCompanyId,
      sendingCompany: ownCompanyId,
      billingCompany: ownCompanyId,
      applicant: { ...person(ids), employeeNumber },
    }),
    expected: { status: 409, code: 'employee-number-in-use' },
  }),
  getCase: record(),
  getCaseSteps: record(),
  getCaseNotes: record(),
  getCasesForApplicant: record(),
  getCasesForEmployeeNumber: record(),
  patchCase: record({ body: () => ({ status: 'pending' }), rank: 1 }),
  addCaseStep: record({ body: () => ({ name: 'Spy' }) }),
  patchCaseStep: record({ body: () => ({ status: 'completed' }) }),
  addCaseNote: record({ body: () => ({ content: 'Spy' }) }),
  patchCaseNote: record({ body: () => ({ content: 'Spy' }) }),
  completeCaseStep: record({ body: () => ({}) }),
  getCaseNoteVersions: record(),
  getCaseTimeline: record(),
  getCaseChecklist: record(),
  putCaseChecklist: record({
    body: ({ documentId }) => ({ items: [{ name: 'Permit', required: true, documentId, accepted: true }] }),
  }),
  listCases: list({
    queries: ({ lastName, employeeNumber, companyId, userId }) => [
      {},
      { maxRecords: '1' },
      { sort: '-createdAt' },
      { q: lastName ?? '' },
      { q: employeeNumber ?? '' },
      { assignee: 'none' },
      { assignee: userId ?? '' },
      { company: companyId ?? '' },
    ],
  }),
  listCaseSteps: list({
    queries: () => [
      { ...range(), offset: '' },
      { ...range(), maxRecords: '1' },
    ],
  }),
  listCaseNotes: list({
    queries: () => [
      { ...range(), offset: '' },
      { ...range(), maxRecords: '1' },
    ],
  }),

  // Documents
  getDocument: record(),
  downloadDocument: record(),
  patchDocumentExpiry: record({ body: () => ({ ExpiryDate: '2031-01-01' }) }),
  uploadDocument: record({
    multipart: ({ caseId }) => [
      ['caseId', caseId ?? ''],
      ['countryCode', 'DE'],
      ['document', '%PDF-1.7 a permit', 'permit.pdf'],
    ],
  }),
  listDocuments: list({
    queries: ({ caseId, applicantId, employeeNumber }) => [
      range(),
      { ...range(), maxRecords: '1' },
      { ...range(), caseId: caseId ?? '' },
      { ...range(), applicantId: applicantId ?? '' },
      { ...range(), employeeNumber: employeeNumber ?? '' },
    ],
  }),
  listAllDocuments: list({
    queries: ({ caseId, applicantId }) => [
      {},
      { maxRecords: '1' },
      { caseId: caseId ?? '' },
      { applicantId: applicantId ?? '' },
      { expiresFrom: dayFromNow(0), expiresTo: dayFromNow(30) },
    ],
  }),
  listExpiring: list({
    queries: ({ companyId }) => [{}, { maxRecords: '1' }, { within: '30' }, { company: companyId ?? '' }],
  }),
  getDeskDocument: record(),
  correctDocument: record({ body: () => ({ name: 'Spy' }) }),
  putDocumentFile: record({ multipart: () => [['document', '%PDF-1.7 another permit', 'permit.pdf']] }),
  listDocumentFileVersions: record(),
  downloadDocumentFileVersion: record(),
  restoreDocument: record({ parameters: { documentId: 'removedDocumentId' } }),
  removeDocument: record({ body: () => ({ reason: 'Spy' }), rank: 4 }),
  listChanges: list({
    queries: () => [{}, { after: 'now' }, { maxRecords: '1' }, { types: 'applicant.created,case.created' }],
  }),
  exportRecords: list({
    queries: () => [{ kind: 'applicants' }, { kind: 'cases' }, { kind: 'documents' }],
  }),
  listNotifications: list({ queries: () => [range(), { ...range(), maxRecords: '1' }] }),

  // Setup: it affects all companies.
  listCompanies: list(),
  getCompany: record(),
  createCompany: record({ body: ({ companyName }) => ({ name: companyName }), ...SETUP }),
  patchCompany: record({ body: () => ({ country: 'FR' }), ...SETUP }),
  // Processes are shared by all companies.
  listProcesses: list(),
  putProcess: record({ body: () => ({ steps: ['Spy'] }), ...SETUP }),
  deleteProcess: record(SETUP),

  getProcessChecklist: own(),
  putProcessChecklist: record({ body: () => ({ items: [{ name: 'Spy' }] }), ...SETUP }),

  // The desk
  getOverview: list(),
  globalSearch: list({
    queries: ({ lastName, employeeNumber, passportNumber, companyName }) =>
      [lastName, employeeNumber, passportNumber, companyName].map(q => ({ q: q ?? '' })),
  }),
  listViews: list(),
  createView: own({ body: () => ({ screen: 'cases', name: 'Spy', query: {} }) }),
  getView: record(),
  // A shared view is changed by its owner only, and removed by an administrator too.
  patchView: record({ body: () => ({ name: 'Spy' }), control: 403 }),
  deleteView: record({ rank: 5 }),

  // Webhooks
  listWebhooks: list(),
  createWebhook: own({ body: () => ({ url: 'https://hooks.invalid/spy', active: false }) }),
  getWebhook: record(),
  patchWebhook: record({ body: () => ({ description: 'Spy' }) }),
  rotateWebhookSecret: record({ body: () => ({}) }),
  testWebhook: record(),
  listWebhookDeliveries: record({ queries: () => [range()] }),
  replayWebhookDelivery: record(),
  replayWebhookEvents: record({ body: range }),
  deleteWebhook: record({ rank: 5 }),

  // Clients, users, blocked callers
  listClients: list(),
  createClient: creates({
    body: ({ clientId, ownCompanyId }) => ({
      name: 'Spy',
      clientId,
      scopes: ['applicants:read'],
      companies: [ownCompanyId],
    }),
    expected: { status: 409, code: 'client-id-in-use' },
    control: 409,
  }),
  getClient: record(),
  patchClient: record({ body: () => ({ name: 'Spy' }) }),
  createApiKey: record({ body: () => ({ name: 'Spy' }) }),
  rotateClientSecret: record({ body: () => ({}) }),
  // After the release of the import that this client has sent.
  disableClient: record({ rank: 2 }),
  enableClient: record({ rank: 3 }),
  revokeApiKey: record({ rank: 5 }),
  listColleagues: list(),
  listUsers: list(),
  createUser: creates({
    body: ({ userEmail, ownCompanyId }) => ({
      email: userEmail,
      name: 'Spy',
      roles: ['viewer'],
      companies: [ownCompanyId],
    }),
    expected: { status: 409, code: 'email-in-use' },
    control: 409,
  }),
  getUser: record(),
  patchUser: record({ body: () => ({ name: 'Spy' }) }),
  inviteUser: record(),
  endUserSessions: record({ rank: 6 }),
  resetUser: record({ rank: 7 }),
  listBlockedCallers: list(),
  blockCaller: own({
    body: () => ({ caller: 'oidc:issuer.invalid:spy', reason: 'Spy' }),
    control: 403,
  }),
  unblockCaller: record(SETUP),

  // The audit
  listAudit: { kind: 'audit', queries: () => [range()] },
  exportAudit: { kind: 'audit', queries: () => [times()] },

  // The caller itself
  getMe: own(),
  getMyCalendar: own(),
  // Only people have one.
  createMyCalendar: own({ control: [201, 422] }),
  deleteMyCalendar: own(),
  getSession: own(),
  listSessions: own(),
  endSession: record({ rank: 5 }),
  endCurrentSession: own({ endsSession: true, rank: 9 }),
  changePassword: own({
    body: () => ({ currentPassword: WRONG, newPassword: 'five other words, at random' }),
  }),
  enrolTotp: own(),
  confirmTotp: own({ body: () => ({ code: '000000' }) }),
  removeTotp: own({ body: () => ({ code: '000000' }) }),
  listPasskeys: own(),
  getPasskeyRegistrationOptions: own(),
  createPasskey: own({
    body: () => ({ challenge: 'q0m3', name: 'Spy', response: { id: 'x', type: 'public-key' } }),
  }),
  deletePasskey: record({ rank: 4 }),
  getApplicantHealth: own(),
  getCaseHealth: own(),
  getDocumentHealth: own(),

  // Without credentials
  createSession: open({ body: ({ userEmail }) => ({ email: userEmail, password: WRONG }) }),
  issueToken: open({
    form: ({ clientId = '' }) =>
      new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: WRONG }),
  }),
  acceptInvitation: open({ body: () => ({ token: 'bWFkZSBhdCByYW5kb20', password: WRONG }) }),
  getPasskeySignInOptions: open(),
  getSignInMethods: open(),
  startExternalSignIn: open(),
  finishExternalSignIn: open(),
  getSignInPage: open(),
  readCalendar: open(),
  getJwks: open(),
  getAuthorizationServerMetadata: open(),
  getProtectedResourceMetadata: open(),
  getDocs: open(),
  getOpenApi: open(),
  getLiveness: open(),
  getReadiness: open(),
  getMetrics: open(),
}
