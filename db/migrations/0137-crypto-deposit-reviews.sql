-- Deposits that administrators look at: they find them by what a customer can tell, and release those that
-- are under review.
create index crypto_deposits_tx_hash on crypto_deposits (tx_hash, id);
create index crypto_deposits_address on crypto_deposits (address, id);

-- bookings of a deposit that follow each other are booked at once (crypto_deposit_turns)
drop function if exists crypto_deposit_book(crypto_deposits, text);
