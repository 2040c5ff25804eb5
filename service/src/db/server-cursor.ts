// Reads the ids of any number of records through a cursor of the database, some at a time, and the records by their ids. A
// transaction has one such cursor.
import type { Tx } from './access.ts'

/** Records of one kind, all of which are read in one transaction. */
export interface RecordSource {
  /** Opens the cursor. */
  open(tx: Tx): Promise<void>
  /** The JSON of the records with these ids. */
  render(tx: Tx, ids: string[]): Promise<string[]>
}

/** `select` has one column, `id`, and no parameters. */
export async function openCursor(tx: Tx, select: string): Promise<void> {
  await tx.unsafe(`declare ids no scroll cursor for ${select}`)
}

/** The next ids; none at the end. */
export async function fetchIds(tx: Tx, count: number): Promise<string[]> {
  const rows = await tx.unsafe<{ id: string }[]>(`fetch forward ${count} from ids`)
  return rows.map(({ id }) => id)
}
