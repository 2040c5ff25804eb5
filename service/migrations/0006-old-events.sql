-- Events that everybody has had are removed after a while; each of them is then looked for among the deliveries.
create index webhook_deliveries_of_event on webhook_deliveries (event_seq);
