// The records that the writers of an attack create and change: applicants with a dependent, and cases with steps and notes.
// Every part of a request carries a mark of that request, so that a half-written record can be recognised.
import type { Call, Client, ClientResponse } from './client.ts'

export const COMPANY = 'Attacked Ltd'
const STEPS_OF_TEMPLATE = 9

/** The expected state of an applicant: the mark of the last POST or PUT, and of the last PATCH after it. */
export interface PersonState {
  saved: string
  merged: string | undefined
}

export interface CaseState {
  mark: string
  caseId: string | undefined
  step: { id: string; status: string } | undefined
  notes: string[]
}

export interface Step<State> {
  call: Call
  /** The state after this request; ids come from the response. */
  next(response: ClientResponse): State
}

export interface Subject<State> {
  number: string
  state: State | undefined
  /** The next request, given the current state. */
  nextRequest(mark: string, random: () => number): Step<State>
  /** Differences between `state` and the stored record; an undefined state means that none should exist. */
  mismatches(client: Client, state: State | undefined): Promise<string[]>
}

const person = (mark: string, more: object = {}) => ({
  firstName: `First ${mark}`,
  lastName: `Last ${mark}`,
  jobTitle: `Job ${mark}`,
  dateOfBirth: '1990-05-31T00:00:00',
  metaData: [{ tagName: 'mark', value: mark }],
  passports: [{ passportNumber: `P ${mark}`, country: 'DE' }],
  documents: [{ name: `Document ${mark}`, expiryReminder: 30 }],
  ...more,
})

const family = (mark: string, number?: string) => ({
  primaryApplicant: person(mark, number === undefined ? {} : { employeeNumber: number }),
  dependents: [person(mark, { relationship: 'Child' })],
})

/** Fields of an applicant that do not have the values of the requests with these marks. */
function personMismatches(record: ClientResponse['body'], saved: string, merged = saved): string[] {
  const parts: [string, unknown, string][] = [
    ['firstName', record?.firstName, `First ${saved}`],
    ['lastName', record?.lastName, `Last ${merged}`],
    ['jobTitle', record?.jobTitle, `Job ${merged}`],
    ['metaData', record?.metaData?.map((item: { value: string }) => item.value).join(), saved],
    [
      'passports',
      record?.passports?.map((item: { passportNumber: string }) => item.passportNumber).join(),
      `P ${saved}`,
    ],
    ['documents', record?.documents?.map((item: { name: string }) => item.name).join(), `Document ${saved}`],
  ]
  return parts.flatMap(([name, seen, expected]) =>
    seen === expected ? [] : [`${name} is ${seen}, not ${expected}`],
  )
}

export function personSubject(number: string): Subject<PersonState> {
  const path = `/v2/applicant/employeenumber/${number}`
  return {
    number,
    state: undefined,
    nextRequest(mark, random) {
      const { state } = this
      if (!state) {
        const byPost = random() < 0.5
        return {
          call: byPost
            ? {
                method: 'POST',
                path: '/v2/applicant',
                body: family(mark, number),
                headers: { 'idempotency-key': mark },
              }
            : { method: 'PUT', path, body: family(mark) },
          next: () => ({ saved: mark, merged: undefined }),
        }
      }
      if (random() < 0.5)
        return {
          call: { method: 'PUT', path, body: family(mark) },
          next: () => ({ saved: mark, merged: undefined }),
        }
      return {
        call: {
          method: 'PATCH',
          path,
          body: { primaryApplicant: { lastName: `Last ${mark}`, jobTitle: `Job ${mark}` } },
        },
        next: () => ({ saved: state.saved, merged: mark }),
      }
    },
    async mismatches(client, state) {
      const record = await client.call({ path })
      if (!state) return record.status === 404 ? [] : [`exists unexpectedly (${record.status})`]
      if (record.status !== 200) return [`GET returned ${record.status}`]
      const dependents = await client.call({ path: `${path}/dependents` })
      if (dependents.body?.length !== 1) return [`has ${dependents.body?.length} dependents, not 1`]
      return [
        ...personMismatches(record.body, state.saved, state.merged),
        ...personMismatches(dependents.body[0], state.saved).map(mismatch => `dependent: ${mismatch}`),
      ]
    },
  }
}

export function caseSubject(number: string): Subject<CaseState> {
  return {
    number,
    state: undefined,
    nextRequest(mark, random) {
      const { state } = this
      if (!state?.caseId) return openCase(number, mark)
      const { caseId, step } = state
      if (step && random() < 0.5) {
        const status = step.status === 'inProgress' ? 'completed' : 'inProgress'
        return {
          call: { method: 'PATCH', path: `/admin/v1/cases/${caseId}/steps/${step.id}`, body: { status } },
          next: () => ({ ...state, step: { ...step, status } }),
        }
      }
      return {
        call: {
          method: 'POST',
          path: `/admin/v1/cases/${caseId}/notes`,
          body: { content: `Note ${mark}`, author: 'R. Okafor' },
          headers: { 'idempotency-key': mark },
        },
        next: () => ({ ...state, notes: [...state.notes, `Note ${mark}`] }),
      }
    },
    async mismatches(client, state) {
      const { status, body } = await client.call({ path: `/v2/cases/applicant/employeenumber/${number}` })
      if (!state) return status === 404 ? [] : [`exists unexpectedly (${status})`]
      if (status !== 200) return [`GET returned ${status}`]
      if (body?.length !== 1) return [`has ${body?.length} cases, not 1`]
      return caseMismatches(client, body[0], state)
    },
  }
}

function openCase(number: string, mark: string): Step<CaseState> {
  return {
    call: {
      method: 'POST',
      path: '/v2/case',
      body: {
        caseType: 'Work Permit',
        hostCompany: COMPANY,
        sendingCompany: COMPANY,
        billingCompany: COMPANY,
        assignmentId: mark,
        applicant: { employeeNumber: number, firstName: `First ${mark}`, lastName: `Last ${mark}` },
        metadata: [{ tagName: 'mark', value: mark }],
      },
      headers: { 'idempotency-key': mark },
    },
    next: ({ body }) => ({
      mark,
      caseId: body?.caseId,
      step: body?.steps?.[0] && { id: body.steps[0].stepId, status: body.steps[0].status },
      notes: [],
    }),
  }
}

async function caseMismatches(
  client: Client,
  found: ClientResponse['body'],
  state: CaseState,
): Promise<string[]> {
  const mismatches: string[] = []
  const compare = (name: string, seen: unknown, expected: unknown) => {
    if (seen !== expected) mismatches.push(`${name} is ${seen}, not ${expected}`)
  }
  compare('assignmentId', found.assignmentId, state.mark)
  compare('applicant', found.applicant?.lastName, `Last ${state.mark}`)
  compare('metadata', found.metadata?.map((item: { value: string }) => item.value).join(), state.mark)
  compare('count of steps', found.steps?.length, STEPS_OF_TEMPLATE)
  if (state.caseId) compare('caseId', found.caseId, state.caseId)
  if (state.step) compare('first step', found.steps?.[0]?.status, state.step.status)
  const notes = await client.call({ path: `/v2/case/${found.caseId}/notes` })
  compare('notes', notes.body?.map((note: { content: string }) => note.content).join(), state.notes.join())
  return mismatches
}
