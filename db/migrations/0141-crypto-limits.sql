-- What customers may buy, sell and withdraw in coins, by the level of the customer: what the coins are worth,
-- in minor units of the base currency. Null is no limit.
create table crypto_limits (
  operation text not null check (operation in ('buy', 'sell', 'withdrawal')),
  kyc_level smallint not null check (kyc_level between 0 and 9),
  -- in any 24 hours
  day minor check (day >= 0),
  -- in any 30 days
  month minor check (month >= day and month >= 0),
  primary key (operation, kyc_level)
);
grant select on crypto_limits to teller_app;

-- selling has no limit, so that nobody is kept from leaving
insert into crypto_limits (operation, kyc_level, day, month)
  select o.operation, l.* from (values ('buy'), ('withdrawal')) o(operation),
    (values (0, 100000, 500000), (1, 1000000, 5000000), (2, 10000000, 50000000)) l(kyc_level, day, month);
