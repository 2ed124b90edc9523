/** The proof of a bank that holds coins: its books are sound, and what they say lies with the custodian is really there. */
import { expect } from '@jest/globals';
import { trialBalance } from '../../../db/ledger/trial-balance.ts';
import { parseMinor } from '../../../domain/money.ts';
import { rows } from '../stack/sql.ts';
import type { CoinBank } from './coin-bank.ts';
import { Vaults } from './control.ts';

/** To the last digit of each chain, of the assets that have come to vaults by deposits only. */
export async function expectCoinsProved(
  { books, sandbox }: CoinBank,
  assets: readonly string[],
): Promise<void> {
  const { checks } = await trialBalance(books.em());
  expect(checks.filter(({ broken }) => broken > 0)).toEqual([]);
  const coins = await rows<{ asset: string; custody_asset: string; scale: number; held: string }>(
    books.em(),
    `select n.asset, n.custody_asset, n.scale, (n.remainder - ('1e' || n.scale - c.scale)::numeric * coalesce(
            (select sum(a.posted) from accounts a where a.role = 'custody' and a.asset = n.asset), 0))::text as held
       from asset_networks n join assets c on c.code = n.asset where n.enabled and n.asset = any ($1)`,
    [assets],
  );
  const { items } = Vaults.parse(await sandbox.told('GET', '/vaults'));
  const wallets = items.flatMap((vault) => vault.assets);
  const there = coins.map(({ asset, custody_asset: name, scale }) => [
    asset,
    wallets
      .filter((wallet) => wallet.asset === name)
      .reduce((sum, { total }) => sum + unitsOf(total, scale), 0n),
  ]);
  expect(coins).toHaveLength(assets.length);
  expect(coins.map(({ asset, held }) => [asset, BigInt(held)])).toEqual(there);
}

function unitsOf(amount: string, scale: number): bigint {
  const units = parseMinor(amount, scale);
  if (typeof units === 'string') throw new Error(`${amount} is ${units}`);
  return units;
}
