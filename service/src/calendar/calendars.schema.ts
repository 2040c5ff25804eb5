import type { Operation } from '../http/app-types.ts'
import { Type } from '../lib/json-schema.ts'
import { tooManyRequests } from '../lib/limiter.ts'
import { calendarNotFound, personRequired } from './calendars.service.ts'

const tags = ['Operator: calendars'] as [string]

const createdAt = Type.String({ description: 'UTC, with `Z`.' })

export const getCalendar = {
  operationId: 'getMyCalendar',
  tags,
  summary: 'Get whether you have a calendar',
  description:
    'Returns when the address of your calendar was made. The address itself is returned only once, when it is made: the service stores a hash of it.',
  response: { 200: Type.Object({ createdAt }, { title: 'Calendar', additionalProperties: false }) },
  errors: [personRequired, calendarNotFound],
} satisfies Operation

export const createCalendar = {
  operationId: 'createMyCalendar',
  idempotent: 'sealed',
  tags,
  summary: 'Make or renew the address of your calendar',
  description:
    'Returns an address that calendar programs subscribe to, without a cookie. Anyone who knows it reads the calendar, so keep it secret. Each call makes a new address and ends the former one; it also ends when you are disabled.',
  response: {
    201: Type.Object(
      { url: Type.String({ description: 'Address of the calendar, with a secret in it.' }), createdAt },
      { title: 'NewCalendar', additionalProperties: false },
    ),
  },
  errors: [personRequired],
} satisfies Operation

export const deleteCalendar = {
  operationId: 'deleteMyCalendar',
  tags,
  summary: 'End your calendar',
  description: 'The address stops working at once. Without a calendar the request is rejected (404).',
  response: { 204: Type.Null() },
  errors: [personRequired, calendarNotFound],
} satisfies Operation

export const readCalendar = {
  operationId: 'readCalendar',
  tags,
  summary: 'Read a calendar',
  description: [
    'Returns the calendar of a person as iCalendar (RFC 5545), for calendar programs: steps and cases that are due and assigned to the person, steps without an assignee in these cases, and documents and passports that expire of the people of these cases and their families. It reaches from 90 days ago to a year ahead, with at most 500 entries of a kind.',
    'Entries name initials and ids only, and what the person may see now. Supports `If-None-Match`. A calendar may be read 60 times in five minutes.',
  ].join('\n\n'),
  conditional: true,
  params: Type.Object({ token: Type.String({ description: 'Secret of the address.' }) }),
  produces: 'text/calendar',
  response: { 200: Type.String() },
  errors: [calendarNotFound, tooManyRequests],
} satisfies Operation
