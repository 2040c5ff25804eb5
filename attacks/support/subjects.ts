// What the writers of an attack write: people with a dependent, and cases with steps and notes. Every part of a request
// carries the mark of that request, so that a record read back is either wholly one of the requests or half-written.
import type { Answer, Call, Client } from './client.ts'

export const COMPANY = 'Attacked Ltd'
const STEPS_OF_TEMPLATE = 9

/** A person as the requests so far have left it: the mark of the last whole save, and of the last merge over it. */
export interface PersonState {
  whole: string
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
  /** What the record is once this was done; the answer tells ids. */
  next(answer: Answer): State
}

export interface Subject<State> {
  number: string
  state: State | undefined
  /** One more request, over what is there. */
  propose(mark: string, random: () => number): Step<State>
  /** What speaks against `state` being what is stored, in words; undefined means that nothing should be there. */
  faults(client: Client, state: State | undefined): Promise<string[]>
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

/** Where a record is not what the request with this mark made of it. */
function unlike(record: Answer['body'], whole: string, merged = whole): string[] {
  const parts: [string, unknown, string][] = [
    ['firstName', record?.firstName, `First ${whole}`],
    ['lastName', record?.lastName, `Last ${merged}`],
    ['jobTitle', record?.jobTitle, `Job ${merged}`],
    ['metaData', record?.metaData?.map((item: { value: string }) => item.value).join(), whole],
    [
      'passports',
      record?.passports?.map((item: { passportNumber: string }) => item.passportNumber).join(),
      `P ${whole}`,
    ],
    ['documents', record?.documents?.map((item: { name: string }) => item.name).join(), `Document ${whole}`],
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
    propose(mark, random) {
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
          next: () => ({ whole: mark, merged: undefined }),
        }
      }
      if (random() < 0.5)
        return {
          call: { method: 'PUT', path, body: family(mark) },
          next: () => ({ whole: mark, merged: undefined }),
        }
      return {
        call: {
          method: 'PATCH',
          path,
          body: { primaryApplicant: { lastName: `Last ${mark}`, jobTitle: `Job ${mark}` } },
        },
        next: () => ({ whole: state.whole, merged: mark }),
      }
    },
    async faults(client, state) {
      const record = await client.call({ path })
      if (!state) return record.status === 404 ? [] : [`is there (${record.status})`]
      if (record.status !== 200) return [`answers ${record.status}`]
      const dependents = await client.call({ path: `${path}/dependents` })
      if (dependents.body?.length !== 1) return [`has ${dependents.body?.length} dependents, not 1`]
      return [
        ...unlike(record.body, state.whole, state.merged),
        ...unlike(dependents.body[0], state.whole).map(fault => `dependent: ${fault}`),
      ]
    },
  }
}

export function caseSubject(number: string): Subject<CaseState> {
  return {
    number,
    state: undefined,
    propose(mark, random) {
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
    async faults(client, state) {
      const { status, body } = await client.call({ path: `/v2/cases/applicant/employeenumber/${number}` })
      if (!state) return status === 404 ? [] : [`is there (${status})`]
      if (status !== 200) return [`answers ${status}`]
      if (body?.length !== 1) return [`has ${body?.length} cases, not 1`]
      return faultsOfCase(client, body[0], state)
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

async function faultsOfCase(client: Client, found: Answer['body'], state: CaseState): Promise<string[]> {
  const faults: string[] = []
  const same = (name: string, seen: unknown, expected: unknown) => {
    if (seen !== expected) faults.push(`${name} is ${seen}, not ${expected}`)
  }
  same('assignmentId', found.assignmentId, state.mark)
  same('applicant', found.applicant?.lastName, `Last ${state.mark}`)
  same('metadata', found.metadata?.map((item: { value: string }) => item.value).join(), state.mark)
  same('count of steps', found.steps?.length, STEPS_OF_TEMPLATE)
  if (state.caseId) same('caseId', found.caseId, state.caseId)
  if (state.step) same('first step', found.steps?.[0]?.status, state.step.status)
  const notes = await client.call({ path: `/v2/case/${found.caseId}/notes` })
  same('notes', notes.body?.map((note: { content: string }) => note.content).join(), state.notes.join())
  return faults
}
