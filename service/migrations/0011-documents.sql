-- Interrupted uploads are marked in one transaction and removed after it: an upload whose row is marked is never
-- acknowledged, so its bytes belong to no document.
alter table pending_uploads add column doomed_at timestamptz(3);
