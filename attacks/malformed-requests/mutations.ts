// Mutations of a request. Each changes it in place.

import type { Random } from '../support/random.ts'
import { type Mutation, type Request, setHeader } from '../support/requests.ts'
import { bodyMutations, jsonMutations, multipartMutations } from './body-mutations.ts'
import { HOSTILE_HEADERS, HOSTILE_SEGMENTS, HOSTILE_TEXT } from './hostile-values.ts'

const utf8 = (text: string) => Buffer.from(text).toString('latin1')

const requestMutations: Record<string, Mutation> = {
  'a path segment': (request, random) => {
    const segments = request.path.split('/')
    const own = request.template.split('/').flatMap((part, index) => (part.startsWith('{') ? [index] : []))
    // Mostly a parameter: with another segment the path usually matches no operation.
    const index = own.length > 0 && random.chance(0.8) ? random.pick(own) : 1 + random.below(segments.length)
    segments[index] = random.pick(HOSTILE_SEGMENTS)
    request.path = segments.join('/')
  },
  'a query parameter': (request, random) => {
    const values = [
      '',
      ...HOSTILE_TEXT.map(text => encodeURIComponent(text.toWellFormed())),
      '%ff',
      '%zz',
      '%',
      '1e999',
      '-1',
      '0x10',
      '1001',
      '99999999999999999999',
      '[]',
      '\xff',
    ]
    const value = random.pick(values)
    const known = request.query.map(([name]) => name)
    const odd = [
      'startDate[]',
      'a',
      '__proto__',
      'constructor',
      '%00',
      '%ff',
      '',
      'maxRecords',
      'nextCursor',
      'prevCursor',
      'offset',
      'type',
    ]
    const name = known.length > 0 && random.chance(0.6) ? random.pick(known) : random.pick(odd)
    if (random.chance(0.5)) request.query = request.query.filter(([other]) => other !== name)
    request.query.push([name, value])
    if (random.chance(0.1)) for (let times = 0; times < 1_000; times++) request.query.push([name, '1'])
  },
  'a header': (request, random) => {
    const [name, values] = random.pick(HOSTILE_HEADERS)
    setHeader(request, name, random.pick(values))
  },
  'a duplicate header': (request, random) => {
    if (request.headers.length > 0) request.headers.push(random.pick(request.headers))
  },
  'invalid headers': (request, random) => {
    request.headers.push(
      random.pick<[string, string]>([
        ['X', 'y'.repeat(20_000)],
        ['X\0', 'y'],
        ['X', 'a\0b'],
        ['X Y', 'z'],
        ['', 'z'],
        ['X', 'a\r\n folded'],
        ['X', 'a\nb'],
        [utf8('ключ'), 'z'],
      ]),
    )
    if (random.chance(0.2))
      for (let count = 0; count < 500; count++) request.headers.push([`X-${count}`, 'y'])
  },
  'no Host': request => {
    request.headers = request.headers.filter(([name]) => name !== 'Host')
  },
  'another method': (request, random) => {
    request.method = random.pick([
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'CONNECT',
      'PROPFIND',
      'get',
      'NONSENSE',
      'X'.repeat(1_000),
    ])
  },
  'another version': (request, random) => {
    request.version = random.pick([
      'HTTP/1.0',
      'HTTP/2.0',
      'HTTP/0.9',
      'HTTP/1.2',
      'http/1.1',
      'XTTP/1.1',
      '',
    ])
  },
}

/** Applies one to three random mutations. */
export function mutateRequest(request: Request, random: Random): void {
  const media = request.headers.find(([name]) => name === 'Content-Type')?.[1] ?? ''
  const applicable = [
    ...Object.entries(requestMutations),
    ...(request.json === undefined
      ? []
      : [...Object.entries(jsonMutations), ...Object.entries(jsonMutations)]),
    ...(request.body.length > 0 ? Object.entries(bodyMutations) : []),
    ...(media.startsWith('multipart') ? Object.entries(multipartMutations) : []),
  ]
  const count = 1 + random.below(random.chance(0.7) ? 1 : 3)
  for (let done = 0; done < count; done++) {
    const [name, mutation] = random.pick(applicable)
    mutation(request, random)
    request.mutations.push(name)
  }
}
