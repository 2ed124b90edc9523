-- The English texts of codes, and of what concerns an address. A code never stands in a subject.

insert into notification_templates (type_code, channel, locale, subject, body, status) values
  ('email_verification', 'email', 'en', 'Confirm your email address',
    E'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to confirm this email '
    'address. If you did not register with us, ignore this message.\n', 'live'),
  ('phone_verification', 'sms', 'en', null,
    E'Teller: {{ code }} confirms your phone number. Valid {{ minutes }} minutes.', 'live'),
  ('login_code', 'email', 'en', 'Your login code',
    E'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to log in. We never ask '
    'for it by phone or in a chat. If it was not you who is logging in, change your password.\n', 'live'),
  ('login_code', 'sms', 'en', null,
    E'Teller: {{ code }} is your login code. Valid {{ minutes }} minutes. Never tell it to '
    'anyone.', 'live'),
  ('payment_code', 'email', 'en', 'Your code for a payment',
    E'Your code is {{ code }}.\n\nIt confirms a payment: {{ payment }}.\n\nEnter it within {{ '
    'minutes }} minutes, and only if amount and payee are right. We never ask for it by phone '
    'or in a chat. If it was not you, change your password.\n', 'live'),
  ('payment_code', 'sms', 'en', null,
    E'Teller: {{ code }} pays {{ payment }}. Valid {{ minutes }} min. Never tell it to anyone.', 'live'),
  ('step_up_code', 'email', 'en', 'Your confirmation code',
    E'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to confirm what you are '
    'about to do. We never ask for it by phone or in a chat. If it was not you, change your '
    'password.\n', 'live'),
  ('step_up_code', 'sms', 'en', null,
    E'Teller: {{ code }} confirms your request. Valid {{ minutes }} minutes. Never tell it to '
    'anyone.', 'live'),
  ('password_reset', 'email', 'en', 'Your code for a new password',
    E'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to choose a new '
    'password. We never ask for it by phone or in a chat. If you did not ask for it, ignore '
    'this message: your password stays as it is.\n', 'live'),
  ('email_change', 'email', 'en', 'Confirm your new email address',
    E'Your code is {{ code }}.\n\nEnter it within {{ minutes }} minutes to use this email '
    'address for your login. If you did not ask for it, ignore this message.\n', 'live'),
  ('phone_change', 'sms', 'en', null,
    E'Teller: {{ code }} confirms your new phone number. Valid {{ minutes }} minutes.', 'live'),
  ('admin_invited', 'email', 'en', 'You are invited as an administrator',
    E'You are invited to the back office of Teller.\n\nYour invitation code is:\n\n{{ code '
    '}}\n\nIt is valid once, for {{ days }} days. Choose your password with it, log in and set '
    'up an authenticator app; nobody else knows your password. If you did not expect this, '
    'ignore this message.\n', 'live'),
  ('address_taken', 'email', 'en', 'You already have a login',
    E'Somebody, perhaps you, tried to register with this email address. It already has a login '
    'with us, so nothing was changed.\n\nIf it was you, log in as usual. If not, you need not '
    'do anything.\n', 'live'),
  ('password_reset_unknown', 'email', 'en', 'There is no login with this address',
    E'Somebody, perhaps you, asked for a new password with this email address. No login with us '
    'can be used with it, so there is nothing to change.\n\nIf it was you, try another address '
    'of yours, or register. If not, ignore this message.\n', 'live'),
  ('contact_wanted', 'email', 'en', 'Somebody wanted to use your contact details',
    E'Somebody with another login wanted to use your email address or phone number for it. It '
    'belongs to your login, so nothing was changed.\n\nYou need not do anything. If both logins '
    'are yours, write to us.\n', 'live'),
  ('contact_wanted', 'sms', 'en', null,
    E'Teller: somebody wanted to use your number or address for another login. Nothing was '
    'changed.', 'live');
