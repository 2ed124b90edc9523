-- The English texts of what is told to people with a login. A code never stands in a subject.

insert into notification_templates (type_code, channel, locale, subject, body, status) values
  ('refresh_reuse', 'in_app', 'en', 'We ended your sessions',
    E'A login token was used twice, so we ended your sessions. Log in again.', 'live'),
  ('refresh_reuse', 'email', 'en', 'We ended your sessions',
    E'On {{ at }} a login token of yours was used a second time. It may have been copied, so we '
    'ended the sessions it belongs to.\n\nLog in again. If you see a device that you do not '
    'know, change your password and tell us.\n', 'live'),
  ('refresh_reuse', 'sms', 'en', null,
    E'Teller: a login token was used twice, so we ended your sessions. Log in again.', 'live'),
  ('new_device', 'in_app', 'en', 'New login to your account',
    E'New login on {{ at }} from a device not seen before. Not you? Change your password.', 'live'),
  ('new_device', 'email', 'en', 'New login to your account',
    E'On {{ at }} somebody logged in from a device that we had not seen before: {{ device }}, '
    'from the address {{ address }}.\n\nIf it was you, there is nothing to do. If not, change '
    'your password and tell us.\n', 'live'),
  ('new_device', 'sms', 'en', null,
    E'Teller: new login on {{ at }} from a device not seen before. Not you? Change your '
    'password.', 'live'),
  ('password_changed', 'in_app', 'en', 'Your password was changed',
    E'Your password was changed on {{ at }}. Not you? Tell us at once.', 'live'),
  ('password_changed', 'email', 'en', 'Your password was changed',
    E'On {{ at }} the password of your login was changed, and all other sessions were '
    'ended.\n\nIf it was you, there is nothing to do. If not, tell us at once.\n', 'live'),
  ('password_changed', 'sms', 'en', null,
    E'Teller: your password was changed on {{ at }}. Not you? Tell us at once.', 'live'),
  ('email_changed', 'in_app', 'en', 'Your email address was changed',
    E'The email address of your login was changed on {{ at }}. Not you? Tell us at once.', 'live'),
  ('email_changed', 'email', 'en', 'Your email address was changed',
    E'On {{ at }} the email address of your login was changed. From now on we write to the new '
    'one.\n\nIf it was you, there is nothing to do. If not, tell us at once.\n', 'live'),
  ('email_changed', 'sms', 'en', null,
    E'Teller: the email address of your login was changed on {{ at }}. Not you? Tell us at once.', 'live'),
  ('phone_changed', 'in_app', 'en', 'Your phone number was changed',
    E'The phone number of your login was changed on {{ at }}. Not you? Tell us at once.', 'live'),
  ('phone_changed', 'email', 'en', 'Your phone number was changed',
    E'On {{ at }} the phone number of your login was changed. Codes by text message go to the '
    'new one.\n\nIf it was you, there is nothing to do. If not, change your password and tell '
    'us at once.\n', 'live'),
  ('phone_changed', 'sms', 'en', null,
    E'Teller: the phone number of your login was changed on {{ at }}. Not you? Tell us at once.', 'live'),
  ('factor_changed', 'in_app', 'en', 'Your second factors were changed',
    E'Your second factors were changed on {{ at }}. Not you? Change your password.', 'live'),
  ('factor_changed', 'email', 'en', 'Your second factors were changed',
    E'On {{ at }} the second factors of your login were changed.\n\nIf it was you, there is '
    'nothing to do. If not, change your password and tell us.\n', 'live'),
  ('factor_changed', 'sms', 'en', null,
    E'Teller: your second factors were changed on {{ at }}. Not you? Change your password.', 'live'),
  ('admin_promoted', 'in_app', 'en', 'You are now an administrator',
    E'Your login became that of an administrator on {{ at }}. Unexpected? Tell us at once.', 'live'),
  ('admin_promoted', 'email', 'en', 'You are now an administrator',
    E'On {{ at }} your login was made that of an administrator, and its sessions were '
    'ended.\n\nLog in again and set up a second factor where you have none. If you did not '
    'expect this, tell us at once.\n', 'live'),
  ('admin_promoted', 'sms', 'en', null,
    E'Teller: your login became that of an administrator on {{ at }}. Unexpected? Tell us at '
    'once.', 'live'),
  ('account_request_approved', 'in_app', 'en', 'Your account is open',
    E'Your request for an account was approved. Log in to use it.', 'live'),
  ('account_request_approved', 'email', 'en', 'Your account is open',
    E'Your request for a {{ type }} was approved, and the account is open.\n\nLog in to see its '
    'number and to use it.\n', 'live'),
  ('account_request_approved', 'sms', 'en', null,
    E'Teller: your request for an account was approved. Log in to use it.', 'live'),
  ('account_request_rejected', 'in_app', 'en', 'Your request for an account',
    E'Your request for an account was not approved. Log in to read why.', 'live'),
  ('account_request_rejected', 'email', 'en', 'Your request for an account',
    E'We could not approve your request for a {{ type }}.\n\nLog in to read why. You may ask '
    'again.\n', 'live'),
  ('account_request_rejected', 'sms', 'en', null,
    E'Teller: your request for an account was not approved. Log in to read why.', 'live'),
  ('account_request_expired', 'in_app', 'en', 'Your request for an account has expired',
    E'Your request for an account has expired. Log in to ask again.', 'live'),
  ('account_request_expired', 'email', 'en', 'Your request for an account has expired',
    E'Your request for a {{ type }} was not decided in time and has expired. We are '
    'sorry.\n\nLog in to ask again.\n', 'live'),
  ('account_request_expired', 'sms', 'en', null,
    E'Teller: your request for an account has expired. Log in to ask again.', 'live'),
  ('account_request_waits', 'in_app', 'en', 'An account request waits for its review',
    E'An account request has waited for {{ hours }} hours. Log in to review it.', 'live'),
  ('account_request_waits', 'email', 'en', 'An account request waits for its review',
    E'A request for a {{ type }} has waited for {{ hours }} hours.\n\nLog in to review it.\n', 'live'),
  ('change_waits', 'in_app', 'en', 'A change waits for a second administrator',
    E'A change has waited for {{ hours }} hours. Log in to approve or reject it.', 'live'),
  ('change_waits', 'email', 'en', 'A change waits for a second administrator',
    E'A change ({{ operation }}) has waited for {{ hours }} hours for a second '
    'administrator.\n\nLog in to approve or reject it.\n', 'live'),
  ('scheduled_transfer_refused', 'in_app', 'en', 'A scheduled transfer was not carried out',
    E'Your transfer scheduled for {{ day }} was not carried out. Log in to see why.', 'live'),
  ('scheduled_transfer_refused', 'email', 'en', 'A scheduled transfer was not carried out',
    E'Your transfer scheduled for {{ day }} was not carried out. Log in to see why; no money has '
    'moved.\n', 'live'),
  ('scheduled_transfer_refused', 'sms', 'en', null,
    E'Teller: your transfer scheduled for {{ day }} was not carried out. Log in to see why.', 'live'),
  ('ticket_reply', 'in_app', 'en', 'Support has answered ticket {{ number }}',
    E'Support has answered your ticket {{ number }}. Log in to read it.', 'live'),
  ('ticket_reply', 'email', 'en', 'Support has answered ticket {{ number }}',
    E'There is an answer to your ticket {{ number }}.\n\nLog in to read it and to reply. For '
    'your safety this message does not repeat it.\n', 'live'),
  ('ticket_reply', 'sms', 'en', null,
    E'Teller: support has answered your ticket {{ number }}. Log in to read it.', 'live'),
  ('admin_message', 'in_app', 'en', '{{ title }}',
    E'{{ body }}', 'live'),
  ('admin_message', 'email', 'en', '{{ title }}',
    E'{{ body }}\n', 'live'),
  ('admin_message', 'sms', 'en', null,
    E'Teller: {{ title }}: {{ body }}', 'live'),
  ('announcement', 'in_app', 'en', '{{ title }}',
    E'{{ body }}', 'live'),
  ('announcement', 'email', 'en', '{{ title }}',
    E'{{ body }}\n', 'live');
