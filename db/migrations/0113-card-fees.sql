-- What a card costs: issuing and replacing it is charged like the monthly fee of its account, and a rule may
-- be for one card product.

alter table card_products add constraint card_products_asset unique (id, asset);

alter table fee_rule_versions
  add column card_product_id uuid,
  -- a rule for one product is in its currency, or it would never be charged
  add constraint fee_rule_versions_card_product_fits
    foreign key (card_product_id, asset) references card_products (id, asset);
create index fee_rule_versions_card_product on fee_rule_versions (card_product_id)
  where card_product_id is not null;
grant insert (card_product_id) on fee_rule_versions to teller_app;

-- an account pays once a month, and for a card once for each rule, of which its id is made
alter table account_fees
  add column purpose text not null default 'monthly' references fee_purposes,
  add column card_id uuid references cards,
  add constraint account_fees_are_for check ((purpose = 'monthly') = (card_id is null)),
  drop constraint account_fees_account_id_month_key;
create unique index account_fees_of_month on account_fees (account_id, month) where purpose = 'monthly';
create index account_fees_of_card on account_fees (card_id) where card_id is not null;
drop index account_fees_newest;
create index account_fees_newest on account_fees (month, account_id, id);
create index account_fees_of_account on account_fees (account_id, month, id);
