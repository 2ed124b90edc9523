-- What a new bank begins with.

-- ISO 4217, with the digits after the decimal point; a currency that is added later comes by a migration of
-- its own.
insert into assets (code, scale, kind) values
  ('AED', 2, 'fiat'), ('AFN', 2, 'fiat'), ('ALL', 2, 'fiat'), ('AMD', 2, 'fiat'), ('AOA', 2, 'fiat'),
  ('ARS', 2, 'fiat'), ('AUD', 2, 'fiat'), ('AWG', 2, 'fiat'), ('AZN', 2, 'fiat'), ('BAM', 2, 'fiat'),
  ('BBD', 2, 'fiat'), ('BDT', 2, 'fiat'), ('BHD', 3, 'fiat'), ('BIF', 0, 'fiat'), ('BMD', 2, 'fiat'),
  ('BND', 2, 'fiat'), ('BOB', 2, 'fiat'), ('BOV', 2, 'fiat'), ('BRL', 2, 'fiat'), ('BSD', 2, 'fiat'),
  ('BTN', 2, 'fiat'), ('BWP', 2, 'fiat'), ('BYN', 2, 'fiat'), ('BZD', 2, 'fiat'), ('CAD', 2, 'fiat'),
  ('CDF', 2, 'fiat'), ('CHE', 2, 'fiat'), ('CHF', 2, 'fiat'), ('CHW', 2, 'fiat'), ('CLF', 4, 'fiat'),
  ('CLP', 0, 'fiat'), ('CNY', 2, 'fiat'), ('COP', 2, 'fiat'), ('COU', 2, 'fiat'), ('CRC', 2, 'fiat'),
  ('CUP', 2, 'fiat'), ('CVE', 2, 'fiat'), ('CZK', 2, 'fiat'), ('DJF', 0, 'fiat'), ('DKK', 2, 'fiat'),
  ('DOP', 2, 'fiat'), ('DZD', 2, 'fiat'), ('EGP', 2, 'fiat'), ('ERN', 2, 'fiat'), ('ETB', 2, 'fiat'),
  ('EUR', 2, 'fiat'), ('FJD', 2, 'fiat'), ('FKP', 2, 'fiat'), ('GBP', 2, 'fiat'), ('GEL', 2, 'fiat'),
  ('GHS', 2, 'fiat'), ('GIP', 2, 'fiat'), ('GMD', 2, 'fiat'), ('GNF', 0, 'fiat'), ('GTQ', 2, 'fiat'),
  ('GYD', 2, 'fiat'), ('HKD', 2, 'fiat'), ('HNL', 2, 'fiat'), ('HTG', 2, 'fiat'), ('HUF', 2, 'fiat'),
  ('IDR', 2, 'fiat'), ('ILS', 2, 'fiat'), ('INR', 2, 'fiat'), ('IQD', 3, 'fiat'), ('IRR', 2, 'fiat'),
  ('ISK', 0, 'fiat'), ('JMD', 2, 'fiat'), ('JOD', 3, 'fiat'), ('JPY', 0, 'fiat'), ('KES', 2, 'fiat'),
  ('KGS', 2, 'fiat'), ('KHR', 2, 'fiat'), ('KMF', 0, 'fiat'), ('KPW', 2, 'fiat'), ('KRW', 0, 'fiat'),
  ('KWD', 3, 'fiat'), ('KYD', 2, 'fiat'), ('KZT', 2, 'fiat'), ('LAK', 2, 'fiat'), ('LBP', 2, 'fiat'),
  ('LKR', 2, 'fiat'), ('LRD', 2, 'fiat'), ('LSL', 2, 'fiat'), ('LYD', 3, 'fiat'), ('MAD', 2, 'fiat'),
  ('MDL', 2, 'fiat'), ('MGA', 2, 'fiat'), ('MKD', 2, 'fiat'), ('MMK', 2, 'fiat'), ('MNT', 2, 'fiat'),
  ('MOP', 2, 'fiat'), ('MRU', 2, 'fiat'), ('MUR', 2, 'fiat'), ('MVR', 2, 'fiat'), ('MWK', 2, 'fiat'),
  ('MXN', 2, 'fiat'), ('MXV', 2, 'fiat'), ('MYR', 2, 'fiat'), ('MZN', 2, 'fiat'), ('NAD', 2, 'fiat'),
  ('NGN', 2, 'fiat'), ('NIO', 2, 'fiat'), ('NOK', 2, 'fiat'), ('NPR', 2, 'fiat'), ('NZD', 2, 'fiat'),
  ('OMR', 3, 'fiat'), ('PAB', 2, 'fiat'), ('PEN', 2, 'fiat'), ('PGK', 2, 'fiat'), ('PHP', 2, 'fiat'),
  ('PKR', 2, 'fiat'), ('PLN', 2, 'fiat'), ('PYG', 0, 'fiat'), ('QAR', 2, 'fiat'), ('RON', 2, 'fiat'),
  ('RSD', 2, 'fiat'), ('RUB', 2, 'fiat'), ('RWF', 0, 'fiat'), ('SAR', 2, 'fiat'), ('SBD', 2, 'fiat'),
  ('SCR', 2, 'fiat'), ('SDG', 2, 'fiat'), ('SEK', 2, 'fiat'), ('SGD', 2, 'fiat'), ('SHP', 2, 'fiat'),
  ('SLE', 2, 'fiat'), ('SOS', 2, 'fiat'), ('SRD', 2, 'fiat'), ('SSP', 2, 'fiat'), ('STN', 2, 'fiat'),
  ('SVC', 2, 'fiat'), ('SYP', 2, 'fiat'), ('SZL', 2, 'fiat'), ('THB', 2, 'fiat'), ('TJS', 2, 'fiat'),
  ('TMT', 2, 'fiat'), ('TND', 3, 'fiat'), ('TOP', 2, 'fiat'), ('TRY', 2, 'fiat'), ('TTD', 2, 'fiat'),
  ('TWD', 2, 'fiat'), ('TZS', 2, 'fiat'), ('UAH', 2, 'fiat'), ('UGX', 0, 'fiat'), ('USD', 2, 'fiat'),
  ('USN', 2, 'fiat'), ('UYI', 0, 'fiat'), ('UYU', 2, 'fiat'), ('UYW', 4, 'fiat'), ('UZS', 2, 'fiat'),
  ('VED', 2, 'fiat'), ('VES', 2, 'fiat'), ('VND', 0, 'fiat'), ('VUV', 0, 'fiat'), ('WST', 2, 'fiat'),
  ('XAD', 2, 'fiat'), ('XAF', 0, 'fiat'), ('XCD', 2, 'fiat'), ('XCG', 2, 'fiat'), ('XOF', 0, 'fiat'),
  ('XPF', 0, 'fiat'), ('YER', 2, 'fiat'), ('ZAR', 2, 'fiat'), ('ZMW', 2, 'fiat'), ('ZWG', 2, 'fiat');

-- The account types of a new bank.
insert into account_types (code, name, asset, openable_by) values
  ('current_eur', 'Current account in euro', 'EUR', 'customer'),
  ('current_usd', 'Current account in US dollar', 'USD', 'customer'),
  ('current_gbp', 'Current account in pound sterling', 'GBP', 'customer'),
  ('current_chf', 'Current account in Swiss franc', 'CHF', 'customer'),
  ('current_jpy', 'Current account in yen', 'JPY', 'customer'),
  ('current_kwd', 'Current account in Kuwaiti dinar', 'KWD', 'customer'),
  ('savings_eur', 'Savings account in euro', 'EUR', 'customer'),
  ('business_eur', 'Business account in euro', 'EUR', 'request');

-- The transfer types of a new bank.
insert into transfer_types (code, name, cut_off, business_days_only, reach) values
  ('internal', 'Transfer inside the bank', null, false, 'internal'),
  ('own', 'Transfer between own accounts', null, false, 'own'),
  ('sepa', 'SEPA credit transfer', '16:00:00', true, 'sepa'),
  ('international', 'International transfer', '14:00:00', true, 'international');

-- Amounts in minor units above which a transfer waits for an administrator.
insert into transfer_type_currencies (type_code, asset, approval_above) values
  ('internal', 'EUR', 1000000), ('internal', 'USD', 1000000), ('internal', 'GBP', 1000000),
  ('internal', 'CHF', 1000000), ('internal', 'JPY', 1500000), ('internal', 'KWD', 3000000),
  ('own', 'EUR', 1000000), ('own', 'USD', 1000000), ('own', 'GBP', 1000000), ('own', 'CHF', 1000000),
  ('own', 'JPY', 1500000), ('own', 'KWD', 3000000),
  ('international', 'EUR', 1000000), ('international', 'USD', 1000000), ('international', 'GBP', 1000000),
  ('international', 'CHF', 1000000), ('international', 'JPY', 1500000), ('international', 'KWD', 3000000),
  ('sepa', 'EUR', 1000000);

-- In minor units.
insert into transfer_limits (type_code, asset, kyc_level, subject, single, day, month) values
  ('sepa', 'EUR', 0, 'user', 100000, 100000, 500000),
  ('sepa', 'EUR', 1, 'user', 1500000, 2500000, 10000000),
  ('sepa', 'EUR', 2, 'user', 10000000, 25000000, 100000000),
  ('international', 'EUR', 0, 'user', 100000, 100000, 200000),
  ('international', 'EUR', 1, 'user', 1000000, 1500000, 5000000),
  ('international', 'EUR', 2, 'user', 10000000, 25000000, 100000000);

insert into transfer_moves (from_status, to_status) values
  ('pending_approval', 'executed'), ('pending_approval', 'rejected'), ('pending_approval', 'cancelled'),
  ('pending_approval', 'expired'), ('pending_approval', 'failed'), ('pending_approval', 'aml_review'),
  ('pending_approval', 'queued'), ('pending_approval', 'submitted'),
  ('aml_review', 'queued'), ('aml_review', 'submitted'), ('aml_review', 'executed'),
  ('aml_review', 'rejected'), ('aml_review', 'cancelled'), ('aml_review', 'failed'),
  ('queued', 'aml_review'), ('queued', 'submitted'), ('queued', 'rejected'), ('queued', 'cancelled'),
  ('queued', 'failed'),
  ('submitted', 'executed'), ('submitted', 'returned'), ('submitted', 'failed'),
  ('executed', 'returned');

-- Rates are stale after a day. The settings of the bank say the base currency; the migrator writes it.
insert into fx_settings (base_asset, stale_seconds) values
  ('EUR', 86400);

-- Days from 2025 to 2060 on which the TARGET system is closed (Easter by the Gregorian calendar).
insert into bank_holidays (calendar, day) values
  ('TARGET', '2025-01-01'), ('TARGET', '2025-04-18'), ('TARGET', '2025-04-21'), ('TARGET', '2025-05-01'),
  ('TARGET', '2025-12-25'), ('TARGET', '2025-12-26'),
  ('TARGET', '2026-01-01'), ('TARGET', '2026-04-03'), ('TARGET', '2026-04-06'), ('TARGET', '2026-05-01'),
  ('TARGET', '2026-12-25'), ('TARGET', '2026-12-26'),
  ('TARGET', '2027-01-01'), ('TARGET', '2027-03-26'), ('TARGET', '2027-03-29'), ('TARGET', '2027-05-01'),
  ('TARGET', '2027-12-25'), ('TARGET', '2027-12-26'),
  ('TARGET', '2028-01-01'), ('TARGET', '2028-04-14'), ('TARGET', '2028-04-17'), ('TARGET', '2028-05-01'),
  ('TARGET', '2028-12-25'), ('TARGET', '2028-12-26'),
  ('TARGET', '2029-01-01'), ('TARGET', '2029-03-30'), ('TARGET', '2029-04-02'), ('TARGET', '2029-05-01'),
  ('TARGET', '2029-12-25'), ('TARGET', '2029-12-26'),
  ('TARGET', '2030-01-01'), ('TARGET', '2030-04-19'), ('TARGET', '2030-04-22'), ('TARGET', '2030-05-01'),
  ('TARGET', '2030-12-25'), ('TARGET', '2030-12-26'),
  ('TARGET', '2031-01-01'), ('TARGET', '2031-04-11'), ('TARGET', '2031-04-14'), ('TARGET', '2031-05-01'),
  ('TARGET', '2031-12-25'), ('TARGET', '2031-12-26'),
  ('TARGET', '2032-01-01'), ('TARGET', '2032-03-26'), ('TARGET', '2032-03-29'), ('TARGET', '2032-05-01'),
  ('TARGET', '2032-12-25'), ('TARGET', '2032-12-26'),
  ('TARGET', '2033-01-01'), ('TARGET', '2033-04-15'), ('TARGET', '2033-04-18'), ('TARGET', '2033-05-01'),
  ('TARGET', '2033-12-25'), ('TARGET', '2033-12-26'),
  ('TARGET', '2034-01-01'), ('TARGET', '2034-04-07'), ('TARGET', '2034-04-10'), ('TARGET', '2034-05-01'),
  ('TARGET', '2034-12-25'), ('TARGET', '2034-12-26'),
  ('TARGET', '2035-01-01'), ('TARGET', '2035-03-23'), ('TARGET', '2035-03-26'), ('TARGET', '2035-05-01'),
  ('TARGET', '2035-12-25'), ('TARGET', '2035-12-26'),
  ('TARGET', '2036-01-01'), ('TARGET', '2036-04-11'), ('TARGET', '2036-04-14'), ('TARGET', '2036-05-01'),
  ('TARGET', '2036-12-25'), ('TARGET', '2036-12-26'),
  ('TARGET', '2037-01-01'), ('TARGET', '2037-04-03'), ('TARGET', '2037-04-06'), ('TARGET', '2037-05-01'),
  ('TARGET', '2037-12-25'), ('TARGET', '2037-12-26'),
  ('TARGET', '2038-01-01'), ('TARGET', '2038-04-23'), ('TARGET', '2038-04-26'), ('TARGET', '2038-05-01'),
  ('TARGET', '2038-12-25'), ('TARGET', '2038-12-26'),
  ('TARGET', '2039-01-01'), ('TARGET', '2039-04-08'), ('TARGET', '2039-04-11'), ('TARGET', '2039-05-01'),
  ('TARGET', '2039-12-25'), ('TARGET', '2039-12-26'),
  ('TARGET', '2040-01-01'), ('TARGET', '2040-03-30'), ('TARGET', '2040-04-02'), ('TARGET', '2040-05-01'),
  ('TARGET', '2040-12-25'), ('TARGET', '2040-12-26'),
  ('TARGET', '2041-01-01'), ('TARGET', '2041-04-19'), ('TARGET', '2041-04-22'), ('TARGET', '2041-05-01'),
  ('TARGET', '2041-12-25'), ('TARGET', '2041-12-26'),
  ('TARGET', '2042-01-01'), ('TARGET', '2042-04-04'), ('TARGET', '2042-04-07'), ('TARGET', '2042-05-01'),
  ('TARGET', '2042-12-25'), ('TARGET', '2042-12-26'),
  ('TARGET', '2043-01-01'), ('TARGET', '2043-03-27'), ('TARGET', '2043-03-30'), ('TARGET', '2043-05-01'),
  ('TARGET', '2043-12-25'), ('TARGET', '2043-12-26'),
  ('TARGET', '2044-01-01'), ('TARGET', '2044-04-15'), ('TARGET', '2044-04-18'), ('TARGET', '2044-05-01'),
  ('TARGET', '2044-12-25'), ('TARGET', '2044-12-26'),
  ('TARGET', '2045-01-01'), ('TARGET', '2045-04-07'), ('TARGET', '2045-04-10'), ('TARGET', '2045-05-01'),
  ('TARGET', '2045-12-25'), ('TARGET', '2045-12-26'),
  ('TARGET', '2046-01-01'), ('TARGET', '2046-03-23'), ('TARGET', '2046-03-26'), ('TARGET', '2046-05-01'),
  ('TARGET', '2046-12-25'), ('TARGET', '2046-12-26'),
  ('TARGET', '2047-01-01'), ('TARGET', '2047-04-12'), ('TARGET', '2047-04-15'), ('TARGET', '2047-05-01'),
  ('TARGET', '2047-12-25'), ('TARGET', '2047-12-26'),
  ('TARGET', '2048-01-01'), ('TARGET', '2048-04-03'), ('TARGET', '2048-04-06'), ('TARGET', '2048-05-01'),
  ('TARGET', '2048-12-25'), ('TARGET', '2048-12-26'),
  ('TARGET', '2049-01-01'), ('TARGET', '2049-04-16'), ('TARGET', '2049-04-19'), ('TARGET', '2049-05-01'),
  ('TARGET', '2049-12-25'), ('TARGET', '2049-12-26'),
  ('TARGET', '2050-01-01'), ('TARGET', '2050-04-08'), ('TARGET', '2050-04-11'), ('TARGET', '2050-05-01'),
  ('TARGET', '2050-12-25'), ('TARGET', '2050-12-26'),
  ('TARGET', '2051-01-01'), ('TARGET', '2051-03-31'), ('TARGET', '2051-04-03'), ('TARGET', '2051-05-01'),
  ('TARGET', '2051-12-25'), ('TARGET', '2051-12-26'),
  ('TARGET', '2052-01-01'), ('TARGET', '2052-04-19'), ('TARGET', '2052-04-22'), ('TARGET', '2052-05-01'),
  ('TARGET', '2052-12-25'), ('TARGET', '2052-12-26'),
  ('TARGET', '2053-01-01'), ('TARGET', '2053-04-04'), ('TARGET', '2053-04-07'), ('TARGET', '2053-05-01'),
  ('TARGET', '2053-12-25'), ('TARGET', '2053-12-26'),
  ('TARGET', '2054-01-01'), ('TARGET', '2054-03-27'), ('TARGET', '2054-03-30'), ('TARGET', '2054-05-01'),
  ('TARGET', '2054-12-25'), ('TARGET', '2054-12-26'),
  ('TARGET', '2055-01-01'), ('TARGET', '2055-04-16'), ('TARGET', '2055-04-19'), ('TARGET', '2055-05-01'),
  ('TARGET', '2055-12-25'), ('TARGET', '2055-12-26'),
  ('TARGET', '2056-01-01'), ('TARGET', '2056-03-31'), ('TARGET', '2056-04-03'), ('TARGET', '2056-05-01'),
  ('TARGET', '2056-12-25'), ('TARGET', '2056-12-26'),
  ('TARGET', '2057-01-01'), ('TARGET', '2057-04-20'), ('TARGET', '2057-04-23'), ('TARGET', '2057-05-01'),
  ('TARGET', '2057-12-25'), ('TARGET', '2057-12-26'),
  ('TARGET', '2058-01-01'), ('TARGET', '2058-04-12'), ('TARGET', '2058-04-15'), ('TARGET', '2058-05-01'),
  ('TARGET', '2058-12-25'), ('TARGET', '2058-12-26'),
  ('TARGET', '2059-01-01'), ('TARGET', '2059-03-28'), ('TARGET', '2059-03-31'), ('TARGET', '2059-05-01'),
  ('TARGET', '2059-12-25'), ('TARGET', '2059-12-26'),
  ('TARGET', '2060-01-01'), ('TARGET', '2060-04-16'), ('TARGET', '2060-04-19'), ('TARGET', '2060-05-01'),
  ('TARGET', '2060-12-25'), ('TARGET', '2060-12-26');
