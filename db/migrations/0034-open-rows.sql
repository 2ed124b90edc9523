-- What the watch over lost processes looks for: few open rows among many that have ended.

create index messages_queued on messages (id) where status = 'queued';
create index uploads_pending on uploads (id) where status = 'pending';
