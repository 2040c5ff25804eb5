// The partitions of the audit by month, and of the further records of its entries.
import type { Sql, Tx } from '../db/database.ts'

export interface Partition {
  name: string
  /** The table that it is a partition of. */
  parent: string
  /** Excluded. Null for the default partition. */
  endsAt: Date | null
}

/** Makes the partitions of the next months where they are missing, and returns their number; migration 0028 has the function. */
export async function addPartitions(sql: Sql): Promise<number> {
  const [row] = await sql<[{ made: number }]>`select public.audit_add_partitions() as made`
  return row.made
}

export async function listPartitions(sql: Sql): Promise<Partition[]> {
  return sql<Partition[]>`
    select p.name, t.parent, p.ends_at as "endsAt"
    from (values ('audit'), ('audit_records')) t (parent)
    cross join lateral audit_partitions(t.parent::regclass) p
    order by p.ends_at, t.parent`
}

export async function detachPartition(tx: Tx, { name, parent }: Partition): Promise<void> {
  await tx`alter table ${tx(parent)} detach partition ${tx(name)}`
}

export async function dropDetached(tx: Tx, { name }: Partition): Promise<void> {
  await tx`drop table ${tx(name)}`
}

/** Lets the owner of the tables change a table that is append-only, in this transaction. */
export async function whileWritable<T>(tx: Tx, table: string, work: () => Promise<T>): Promise<T> {
  await tx`alter table ${tx(table)} disable trigger user`
  const result = await work()
  await tx`alter table ${tx(table)} enable trigger user`
  return result
}
