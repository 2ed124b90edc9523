-- Identity documents are uploads whose content is decoded before they are kept.

alter table uploads
  add column kind text not null default 'file' check (kind in ('file', 'identity')),
  -- what was wrong with the content; null if an upload was rejected for its size, type or checksum
  add column fault text check (fault in ('not_readable', 'too_small', 'encrypted', 'has_scripts',
    'has_attachments', 'too_many_pages')),
  add constraint uploads_fault check (fault is null or (kind = 'identity' and status = 'rejected'));
grant update (fault) on uploads to teller_app;
