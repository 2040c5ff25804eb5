import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findingsOf } from '../../../scripts/check-migrations.ts'

const TOLERATED = '-- tolerated by releases from 25\n'
const ruleNames = (sql: string) =>
  findingsOf(TOLERATED + sql, 26).map(finding => /\[([\w-]+)\]$/.exec(finding)?.[1] ?? finding)

describe('check-migrations', () => {
  const dangerous: [sql: string, rule: string][] = [
    ['create index cases_due on cases (due)', 'create-index'],
    ['CREATE UNIQUE INDEX ON public.cases (due)', 'create-index'],
    ['drop index cases_due', 'drop-index'],
    ['alter table cases add column due date not null', 'not-null-column'],
    ['alter table cases add due uuid default gen_random_uuid()', 'computed-default'],
    ['alter table cases\n  alter column due type text', 'column-type'],
    ['alter table cases alter due set not null', 'set-not-null'],
    ['alter table cases add constraint due_check check (due > 0)', 'constraint'],
    ['alter table cases add foreign key (a) references b', 'constraint'],
    ['alter table cases rename column due to due_date', 'rename'],
    ['alter table cases drop column due', 'drop'],
    ['drop table cases', 'drop'],
    ['drop trigger x on cases', 'drop'],
    ["update cases set due = '2026-01-01;'", 'rows'],
    ['delete from cases', 'rows'],
    ['lock table cases', 'lock'],
  ]
  for (const [sql, rule] of dangerous)
    it(`reports ${sql.replaceAll('\n', ' ')}`, () => assert.deepEqual(ruleNames(`${sql};`), [rule]))

  it('reports nothing about what the release before does not notice', () => {
    const sql = `
      create table papers (id text primary key, owner text not null);
      create index papers_owner on papers (owner);
      alter table papers add constraint owned check (owner <> '');
      alter table cases add column due date, add column rank int not null default 0;
      alter table cases add constraint ranked check (rank >= 0) not valid;
      -- drop table cases;
      create function f() returns trigger language plpgsql as $$ begin delete from cases; return null; end $$;
      insert into papers values ('drop table cases; update cases', 'x');`
    assert.deepEqual(ruleNames(sql), [])
  })

  it('allows what a comment gives a reason for', () => {
    assert.deepEqual(ruleNames('-- allowed: drop, because no release reads it\ndrop table old_cases;'), [])
    assert.deepEqual(ruleNames('-- allowed: drop, because\ndrop table old_cases;'), ['drop'])
    assert.deepEqual(ruleNames('-- allowed: rows, because it is small\ndrop table old_cases;'), ['drop'])
  })

  it('knows which statements run outside a transaction', () => {
    const index = 'create index concurrently if not exists cases_due on cases (due);'
    assert.deepEqual(ruleNames(`-- outside a transaction\n${index}`), [])
    assert.match(ruleNames(index)[0] ?? '', /outside a transaction/)
    assert.match(ruleNames('-- outside a transaction\nselect 1;')[0] ?? '', /only concurrent statements/)
    const once = index.replace(' if not exists', '')
    assert.match(ruleNames(`-- outside a transaction\n${once}`)[0] ?? '', /may be repeated/)
  })

  it('requires that the release before is tolerated', () => {
    assert.match(findingsOf('create table papers (id text)', 26)[0] ?? '', /tolerated by releases from N/)
    assert.match(findingsOf('-- tolerated by releases from 26\nselect 1', 26)[0] ?? '', /tolerated by/)
  })
})
