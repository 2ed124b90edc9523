-- How far a person is identified is the outcome of a review, and so is an account that was asked for: what is
-- new is neither, whatever program adds it.
revoke insert on users from teller_app;
grant insert (id, email, phone, phone_verified_at, password_hash, first_name, last_name, date_of_birth,
  country, address, locale, role, status) on users to teller_app;
revoke insert on account_requests from teller_app;
grant insert (id, user_id, account_type_id, nickname, expires_at) on account_requests to teller_app;
