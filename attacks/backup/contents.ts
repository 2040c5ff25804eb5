// A digest of every table of a database, for comparison.
import type postgres from 'postgres'

export type Contents = Map<string, { rows: number; digest: string }>

export async function contentsOf(sql: postgres.Sql): Promise<Contents> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`
  const contents: Contents = new Map()
  for (const { name } of tables) {
    const [row] = await sql`
      select count(*)::int as rows, coalesce(md5(string_agg(t::text, e'\n' order by t::text)), '') as digest
      from ${sql(name)} as t`
    contents.set(name, { rows: row?.['rows'], digest: row?.['digest'] })
  }
  return contents
}

/** Describes the tables that differ. */
export function differences(before: Contents, after: Contents): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].flatMap(name => {
    const [was, is] = [before.get(name), after.get(name)]
    return was?.digest === is?.digest
      ? []
      : [`${name}: ${was?.rows ?? 'no'} rows before, ${is?.rows ?? 'no'} after, not the same`]
  })
}
