-- A record that changes is written anew. Where its page has room, the new version lies beside the old one and no index
-- hears of it; where pages are full to the brim, as after a large import, every change of a field goes through all of them.
alter table applicants set (fillfactor = 80);
