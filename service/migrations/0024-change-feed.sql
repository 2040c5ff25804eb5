-- The change feed: events numbered in the order in which their transactions were committed. `seq` is assigned before the
-- commit, so that a reader of "greater than n" would miss a transaction that commits late.

-- Assigned together with dispatched_at, after the commit. Null on events that were dispatched before this migration: the feed
-- begins with it.
alter table events add column number bigint;

create unique index events_by_number on events (number) where number is not null;
create index events_company_number on events (company_set_id, number)
  where company_set_id is not null and number is not null;

-- One row.
create table change_feed (
  only_row boolean primary key default true check (only_row),
  -- the last number that was assigned, and its event
  head bigint not null,
  head_event_id text collate "C",
  -- events up to this number are deleted, or are no longer part of the feed
  deleted_through bigint not null
);

insert into change_feed (head, deleted_through) values (0, 0);

-- The same for the events of each set of companies: what others write moves no position of a limited caller, and what is
-- deleted of others makes none of its cursors expire.
create table change_feed_sets (
  company_set_id integer primary key,
  head bigint not null,
  head_event_id text collate "C" not null,
  deleted_through bigint not null
);
