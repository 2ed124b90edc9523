/** Quotes and orders of coins as customers see them. */
import type { z } from 'zod';
import type { CryptoOrderRow, CryptoQuoteRow } from '../../../db/queries/crypto/orders.ts';
import { moneyIn } from '../../../domain/money.ts';
import { viewOf } from '../../wire/rows.ts';
import * as wire from './schemas.ts';

const quoted = viewOf(wire.CryptoQuote);
const ordered = viewOf(wire.CryptoOrder);

export function quoteView(row: CryptoQuoteRow): z.output<typeof wire.CryptoQuote> {
  return quoted({ ...row, ...numbers(row) });
}

export function orderView(row: CryptoOrderRow): z.output<typeof wire.CryptoOrder> {
  return ordered({ ...row, ...numbers(row), failureCode: row.failure });
}

type Numbers = Pick<CryptoQuoteRow, 'side' | 'asset' | 'currency' | 'gross' | 'fee' | 'coins' | 'price'>;

function numbers({ side, asset, currency, gross, fee, coins, price: { exchange } }: Numbers) {
  if (exchange === null) throw new Error('a trade without an exchange');
  const [money, coin] = [moneyIn(currency), moneyIn(asset)];
  const buys = side === 'buy';
  const subtotal = buys ? gross - fee : gross;
  return {
    spend: buys ? money(gross) : coin(coins),
    receive: buys ? coin(coins) : money(gross - fee),
    subtotal: money(subtotal),
    fee: money(fee),
    spread: (buys ? coin : money)(BigInt(exchange.spread)),
    spreadBps: exchange.spread_bps,
  };
}
