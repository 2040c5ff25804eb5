import { randomUUID } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import { caseApplicants } from '../db/limited.ts'
import type { Actor } from '../db/unit-of-work.ts'

interface NewEvent {
  type: string
  recordId: string
  data: Record<string, string | null>
}

/**
 * The transactional outbox: events are written in the transaction of their change. Each gets the employee number that the
 * person has after the change, and belongs to the companies of its case or else of the person.
 */
export async function appendEvents(
  tx: Tx,
  events: NewEvent[],
  { actor, now }: { actor: Actor; now: Date },
): Promise<void> {
  const rows = events.map(event => ({
    event_id: `evt_${randomUUID()}`,
    type: event.type,
    record_id: event.recordId,
    data: event.data,
    occurred_at: now,
    trace_id: actor.traceId ?? null,
  }))
  await tx`
    insert into events (event_id, type, record_id, data, occurred_at, trace_id, company_set_id)
    select event_id, type, record_id, data || jsonb_build_object('employeeNumber', (
        select a.employee_number from ${caseApplicants(tx)} a where a.applicant_id = e.data ->> 'applicantId'
      )), occurred_at, trace_id, case when e.data ->> 'caseId' is null
        then (select a.company_set_id from applicants a where a.applicant_id = e.data ->> 'applicantId')
        else (select c.company_set_id from cases c where c.case_id = e.data ->> 'caseId') end
    from jsonb_to_recordset(${tx.json(rows as never)}) as e (
      event_id text, type text, record_id text, data jsonb, occurred_at timestamptz, trace_id text)`
}
