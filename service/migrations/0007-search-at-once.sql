-- New keys go into the index at once. Put aside for later, as is the default, they would have to be looked through one by
-- one by every search until somebody cleans up, which in a large table is seldom.
alter index applicants_search_keys set (fastupdate = off);
select gin_clean_pending_list('applicants_search_keys');
