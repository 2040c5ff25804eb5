-- tolerated by releases from 25
-- Reads the audit once, beside reads and writes of services.
alter table audit_records validate constraint before_partitions;
alter table audit validate constraint before_partitions;
