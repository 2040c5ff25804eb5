import { declareProblem } from '../lib/problem.ts'

export const documentNotFound = declareProblem({
  code: 'document-not-found',
  status: 404,
  title: 'There is no such document.',
  remedy: 'Check the id. GET /v2/documents lists documents by date.',
})
