-- Approvals do not last: the identity document expires, a periodic review is due, or the customer is called
-- otherwise than when they were checked.
alter table bank_settings
  -- years after which a customer of low, medium and high risk is checked again
  add column kyc_review_years smallint[] not null default '{5,3,1}'
    check (cardinality(kyc_review_years) = 3 and 1 <= all (kyc_review_years)),
  -- days in which somebody is checked again whose profile was changed
  add column kyc_renewal_days smallint not null default 30 check (kyc_renewal_days > 0),
  -- whether an expired approval takes its level with it
  add column kyc_expired_limits boolean not null default false;

-- An approval that stands has its day in due_at. One that the next decision has replaced is expired without a
-- reason for renewal.
alter table kyc_applications
  add column renewal_reason text
    check (renewal_reason in ('document_expires', 'review_due', 'profile_changed')),
  -- of a company: checks of people that are taken over from its earlier applications
  add column people_kept uuid[] not null default '{}' check (cardinality(people_kept) = 0 or kind = 'kyb'),
  -- who the customer was by their profile when they submitted it
  add column profile jsonb check (jsonb_typeof(profile) = 'object'),
  -- whether they have taken a change of their profile back since
  add column profile_restored boolean not null default false,
  drop constraint kyc_applications_approved,
  drop constraint kyc_applications_two,
  drop constraint kyc_applications_due;
insert into compliance_moves (status, next) values ('approved', 'expired');

-- what was approved so far: the newest approval stands
alter table kyc_applications disable trigger user;
update kyc_applications a set status = 'expired', status_at = bank_now(), updated_at = bank_now()
  where a.status = 'approved' and a.kyb_application_id is null and exists (
    select from kyc_applications n where (n.user_id, n.kind) = (a.user_id, a.kind)
      and (n.status = 'approved' or n.final) and n.kyb_application_id is null
      and (n.decided_at, n.id) > (a.decided_at, a.id));
with ends as (
  select distinct on (a.id) a.id, x.due, x.reason
    from kyc_applications a, bank_settings s, lateral (values
        (((a.form->'document'->>'expires_on')::date)::timestamp at time zone s.time_zone, 'document_expires'),
        (a.decided_at + make_interval(years => case when a.needs_second then 1 else 3 end), 'review_due')
      ) x(due, reason)
    where a.status = 'approved' and a.kyb_application_id is null and x.due is not null
    order by a.id, x.due
)
update kyc_applications a set renewal_reason = d.reason,
    -- nobody has been told yet
    due_at = greatest(d.due, bank_now() + interval '61 days'),
    look_at = greatest(d.due - interval '60 days', bank_now() + interval '1 day')
  from ends d where d.id = a.id;
update kyc_applications a set profile = jsonb_build_object('first_name', u.first_name,
      'last_name', u.last_name, 'date_of_birth', u.date_of_birth,
      'country', coalesce(u.address->>'country', u.country))
  from users u where u.id = a.user_id and a.kind = 'kyc' and a.kyb_application_id is null;
-- an application that came to nothing takes nothing from the approval that stands
update users u set kyc_status = 'approved' where u.kyc_status in ('withdrawn', 'expired')
  and exists (select from kyc_applications a where (a.user_id, a.kind, a.status) = (u.id, 'kyc', 'approved')
    and a.kyb_application_id is null);
alter table kyc_applications enable trigger user;

alter table kyc_applications
  add constraint kyc_applications_approved check (case when decision = 'approve'
    then status in ('approved', 'expired') else status <> 'approved' end),
  add constraint kyc_applications_two check (decision is distinct from 'approve' or not needs_second
    or first_by is not null and first_by <> decided_by),
  add constraint kyc_applications_due check ((due_at is null) = (look_at is null)
    and (due_at is not null) = (status in ('submitted', 'changes_requested')
      or status = 'approved' and kyb_application_id is null)),
  add constraint kyc_applications_renewed check (renewal_reason is null or decision = 'approve'
    and kyb_application_id is null);
create unique index kyc_applications_approved_one on kyc_applications (user_id, kind)
  where status = 'approved' and kyb_application_id is null;

-- reminders of documents
update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables = '[{"name": "expires_on", "type": "text", "sample": "2027-05-31", "personal": true}]'
  where code = 'document_expiring';
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'document_expiring', t.channel, t.locale, t.subject, t.body, 'live', bank_now(), bank_now()
    from (values
  ('in_app', 'en', 'Your identity document expires', 'Your identity document expires on {{ expires_on }}. '
    'Please send us the new one in the app.'),
  ('email', 'en', 'Your identity document expires', E'Your identity document expires on {{ expires_on }}. '
    'Please send us the new one in the app.\n'),
  ('sms', 'en', null, 'Teller: your identity document expires on {{ expires_on }}. Please send us the new '
    'one in the app.'),
  ('push', 'en', 'Your identity document expires', 'Open the app to read it.'),
  ('in_app', 'de', 'Ihr Ausweis läuft ab', 'Ihr Ausweis läuft am {{ expires_on }} ab. Bitte reichen Sie in '
    'der App den neuen ein.'),
  ('email', 'de', 'Ihr Ausweis läuft ab', E'Ihr Ausweis läuft am {{ expires_on }} ab. Bitte reichen Sie in '
    'der App den neuen ein.\n'),
  ('sms', 'de', null, 'Teller: Ihr Ausweis läuft am {{ expires_on }} ab. Bitte reichen Sie in der App den '
    'neuen ein.'),
  ('push', 'de', 'Ihr Ausweis läuft ab', 'Zum Lesen bitte die App öffnen.')
  ) t(channel, locale, subject, body);

-- The news of checks gets two more states, in whatever words they are told by now.
with news(type_code, locale, sms, renewal, lapsed) as (values
  ('kyc_update', 'en', false, 'Please confirm in the app who you are. We have to check it again.',
    'The check of your identity has expired. Please open the app to be checked again.'),
  ('kyc_update', 'en', true, 'please confirm in the app who you are.',
    'the check of your identity has expired. Please open the app.'),
  ('kyc_update', 'de', false, 'Bitte bestätigen Sie in der App Ihre Identität. Wir müssen sie erneut '
    'prüfen.',
    'Die Prüfung Ihrer Identität ist abgelaufen. Bitte öffnen Sie die App, um sie zu erneuern.'),
  ('kyc_update', 'de', true, 'Bitte bestätigen Sie in der App Ihre Identität.',
    'Die Prüfung Ihrer Identität ist abgelaufen. Bitte öffnen Sie die App.'),
  ('kyb_update', 'en', false, 'Please confirm in the app what we know of your company. We have to check it '
    'again.', 'The check of your company has expired. Please open the app to have it checked again.'),
  ('kyb_update', 'en', true, 'please confirm in the app what we know of your company.',
    'the check of your company has expired. Please open the app.'),
  ('kyb_update', 'de', false, 'Bitte bestätigen Sie in der App die Angaben zu Ihrem Unternehmen. Wir müssen '
    'sie erneut prüfen.', 'Die Prüfung Ihres Unternehmens ist abgelaufen. Bitte öffnen Sie die App, um sie '
    'zu erneuern.'),
  ('kyb_update', 'de', true, 'Bitte bestätigen Sie in der App die Angaben zu Ihrem Unternehmen.',
    'Die Prüfung Ihres Unternehmens ist abgelaufen. Bitte öffnen Sie die App.')
)
update notification_templates t set version = t.version + 1, updated_at = bank_now(),
    body = replace(t.body, '{% else %}', '{% when ''renewal'' %}' || n.renewal
      || '{% when ''lapsed'' %}' || n.lapsed || '{% else %}')
  from news n where n.type_code = t.type_code and n.locale = t.locale and n.sms = (t.channel = 'sms')
    and position('{% else %}' in t.body) > 0;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, updated_at from notification_templates
    where type_code in ('document_expiring', 'kyc_update', 'kyb_update') on conflict do nothing;
