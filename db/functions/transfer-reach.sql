-- Which payee a type of transfer reaches. The API knows it too (domain/transfers/reach.ts), to choose a type
-- and to refuse early; a test compares the two.

-- Returns the nearest reach that gets to a payee: an account of this bank, the payer's own or not, or, where
-- is_own is null, this IBAN of another bank; null is an account without one.
create or replace function payee_reach(is_own boolean, iban text, target_asset text) returns text
language sql immutable as $$
  select case
    when is_own then 'own'
    when is_own is not null then 'internal'
    -- the countries of the SEPA schemes
    when target_asset = 'EUR' and left(iban, 2) in (
      'AD', 'AL', 'AT', 'BE', 'BG', 'CH', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB', 'GI', 'GR',
      'HR', 'HU', 'IE', 'IS', 'IT', 'LI', 'LT', 'LU', 'LV', 'MC', 'MD', 'ME', 'MK', 'MT', 'NL', 'NO', 'PL',
      'PT', 'RO', 'RS', 'SE', 'SI', 'SK', 'SM', 'VA') then 'sepa'
    else 'international' end
$$;
grant execute on function payee_reach to teller_app;

-- Returns whether a type with this reach gets where 'nearest' is the nearest reach that does.
create or replace function reach_covers(reach text, nearest text) returns boolean
language sql immutable as $$
  select reach = nearest or (reach, nearest) in (('internal', 'own'), ('international', 'sepa'))
$$;

-- Returns whether a type of transfer with this reach gets from the payer to the payee.
create or replace function transfer_reaches(t transfers, reach text, payer accounts, payee accounts)
returns boolean
language sql stable set search_path = public, pg_temp as $$
  select coalesce(case
    when t.beneficiary_id is null then reach_covers(reach,
      payee_reach(coalesce(payee.owner_id = payer.owner_id, false), null, t.target_asset))
    else (select reach_covers(reach, payee_reach(null, b.iban, t.target_asset)) from beneficiaries b
      where b.id = t.beneficiary_id and b.user_id = t.customer_id)
    end, false)
$$;
