-- Checks of companies. One is an application of another kind than that of a person, and moves like it. Each
-- person who runs or owns the company has an application of their own, which belongs to that of the company.
alter table kyc_applications
  add column kind text not null default 'kyc' check (kind in ('kyc', 'kyb')),
  add column kyb_application_id uuid references kyc_applications,
  -- the name by which the application of the company refers to the person
  add column person_ref text check (char_length(person_ref) between 1 and 64),
  add constraint kyc_applications_person check ((kyb_application_id is null) = (person_ref is null)
    and (kyb_application_id is null or kind = 'kyc'));

-- whoever only runs a company hands nothing in
alter table kyc_applications drop constraint kyc_applications_required_check;
alter table kyc_applications add constraint kyc_applications_required_check
  check (cardinality(required) > 0 or kyb_application_id is not null);

drop index kyc_applications_one;
create unique index kyc_applications_one on kyc_applications (user_id, kind)
  where ended_at is null and kyb_application_id is null;
create unique index kyc_applications_one_of_person on kyc_applications (kyb_application_id, person_ref)
  where ended_at is null;
create index kyc_applications_people on kyc_applications (kyb_application_id, person_ref, id)
  where kyb_application_id is not null;
create index kyb_applications_all on kyc_applications (id) where kind = 'kyb';
create index kyb_applications_status on kyc_applications (status, id) where kind = 'kyb';
create index kyb_applications_country on kyc_applications ((form->>'country'), id) where kind = 'kyb';

alter table kyc_documents drop constraint kyc_documents_type_check;
alter table kyc_documents add constraint kyc_documents_type_check check (type in ('passport', 'id_card_front',
  'id_card_back', 'residence_permit_front', 'residence_permit_back', 'driving_licence_front',
  'driving_licence_back', 'proof_of_address', 'selfie', 'source_of_funds', 'registry_extract', 'articles',
  'shareholder_register', 'proof_of_ownership', 'authorisation'));

-- the names of a company and of those above it are compared with the lists too
alter table screening_parties drop constraint screening_parties_party_type_check;
alter table screening_parties add constraint screening_parties_party_type_check
  check (party_type in ('customer', 'beneficiary', 'kyc_application', 'kyb_application'));
alter table screening_hits drop constraint screening_hits_party_type_check;
alter table screening_hits add constraint screening_hits_party_type_check
  check (party_type in ('customer', 'beneficiary', 'kyc_application', 'kyb_application'));
alter table screening_clearances drop constraint screening_clearances_party_type_check;
alter table screening_clearances add constraint screening_clearances_party_type_check
  check (party_type in ('customer', 'beneficiary', 'kyc_application', 'kyb_application'));

update notification_types set enabled = true, updated_at = bank_now(),
    channels_allowed = channels_allowed || '{push}', channels_default = channels_default || '{push}',
    variables = '[{"name": "state", "type": "text", "sample": "approved", "personal": false}]'
  where code = 'kyb_update';

with news(locale, text) as (values
  ('en', '{% case state %}'
    '{% when ''approved'' %}We have checked your company. Everything is in order.'
    '{% when ''rejected'' %}We could not confirm your company. Open the app to see why.'
    '{% when ''changes_requested'' %}We need something more from you to check your company. Open the app to '
    'see what.{% when ''expired'' %}The check of your company has ended, because something was missing for '
    'too long. You can begin a new one.{% else %}Something is still missing for the check of your company. '
    'Open the app to see what.{% endcase %}'),
  ('de', '{% case state %}'
    '{% when ''approved'' %}Wir haben Ihr Unternehmen geprüft. Alles ist in Ordnung.'
    '{% when ''rejected'' %}Wir konnten Ihr Unternehmen nicht bestätigen. Den Grund sehen Sie in der App.'
    '{% when ''changes_requested'' %}Für die Prüfung Ihres Unternehmens brauchen wir noch etwas von Ihnen. '
    'Was, sehen Sie in der App.{% when ''expired'' %}Die Prüfung Ihres Unternehmens ist beendet, weil zu '
    'lange etwas fehlte. Sie können eine neue beginnen.{% else %}Für die Prüfung Ihres Unternehmens fehlt '
    'noch etwas. Was, sehen Sie in der App.{% endcase %}')
)
insert into notification_templates
    (type_code, channel, locale, subject, body, status, created_at, updated_at)
  select 'kyb_update', t.channel, t.locale, t.subject, replace(t.body, '<news>', n.text), 'live',
         bank_now(), bank_now()
    from (values
  ('in_app', 'en', 'The check of your company', '<news>'),
  ('email', 'en', 'The check of your company', E'<news>\n'),
  ('sms', 'en', null, 'Teller: {% case state %}{% when ''approved'' %}your company is checked.'
    '{% when ''rejected'' %}we could not confirm your company. The app says why.'
    '{% when ''changes_requested'' %}we need something more to check your company. The app says what.'
    '{% when ''expired'' %}the check of your company has ended. You can begin a new one.'
    '{% else %}something is missing for the check of your company. The app says what.{% endcase %}'),
  ('push', 'en', 'The check of your company', 'Open the app to read it.'),
  ('in_app', 'de', 'Die Prüfung Ihres Unternehmens', '<news>'),
  ('email', 'de', 'Die Prüfung Ihres Unternehmens', E'<news>\n'),
  ('sms', 'de', null, 'Teller: {% case state %}{% when ''approved'' %}Ihr Unternehmen ist geprüft.'
    '{% when ''rejected'' %}Ihr Unternehmen ist nicht bestätigt. Den Grund nennt die App.'
    '{% when ''changes_requested'' %}Für die Prüfung des Unternehmens fehlt etwas. Was, sagt die App.'
    '{% when ''expired'' %}Die Prüfung des Unternehmens ist beendet. Sie können neu beginnen.'
    '{% else %}Für die Prüfung des Unternehmens fehlt etwas. Was, sagt die App.{% endcase %}'),
  ('push', 'de', 'Die Prüfung Ihres Unternehmens', 'Zum Lesen bitte die App öffnen.')
  ) t(channel, locale, subject, body) join news n on n.locale = t.locale;

-- a database that has its triggers already has kept them by itself
insert into notification_template_versions (template_id, version, subject, body, status, created_at)
  select id, version, subject, body, status, created_at from notification_templates
    where type_code = 'kyb_update' on conflict do nothing;
