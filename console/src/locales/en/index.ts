// The English catalogue, which has every key. Each area has a file; the German one has the same files.
import { actions } from './actions.ts'
import { cases } from './cases.ts'
import { common } from './common.ts'
import { documents } from './documents.ts'
import { edit } from './edit.ts'
import { fields } from './fields.ts'
import { imports } from './imports.ts'
import { oversight } from './oversight.ts'
import { people } from './people.ts'
import { setup } from './setup.ts'
import { shell } from './shell.ts'

export const en = {
  ...shell,
  ...common,
  ...edit,
  ...fields,
  ...actions,
  ...cases,
  ...documents,
  ...imports,
  ...oversight,
  ...people,
  ...setup,
} as const
