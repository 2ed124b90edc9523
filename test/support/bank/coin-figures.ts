/** What the bank has written of coins. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CryptoDepositId, UserId } from '../../../domain/ids.ts';
import { row, rows } from '../stack/sql.ts';

/** Reads the books of a bank; `em` is called for each question. Amounts are in minor units, of bitcoin if no asset is named. */
export function coinFigures(em: () => EntityManager) {
  const sum = async (condition: string, parameters: readonly string[]): Promise<bigint> => {
    const statement = `select coalesce(sum(posted), 0)::text as sum from accounts where ${condition}`;
    return BigInt((await row<{ sum: string }>(em(), statement, parameters))?.sum ?? 0);
  };
  return {
    /** What a customer has. */
    held: (user: UserId, asset = 'BTC') =>
      sum(`owner_id = $1 and asset = $2 and kind = 'coin'`, [user, asset]),
    /** What the house accounts of a role have. */
    house: (role: string, asset = 'BTC') => sum('role = $1 and asset = $2', [role, asset]),
    /** What tethers on BNB Chain have more than the books can hold, in the smallest unit of the chain. */
    async remainder(): Promise<bigint> {
      const found = await row<{ remainder: string }>(
        em(),
        `select remainder::text as remainder from asset_networks where (asset, network) = ('USDT', 'bnb')`,
      );
      return BigInt(found?.remainder ?? 0);
    },
    /** What was booked of a deposit, in turns. */
    async turns(deposit: CryptoDepositId): Promise<string[]> {
      const found = await rows<{ kind: string }>(
        em(),
        'select kind from crypto_deposit_bookings where deposit_id = $1 order by seq',
        [deposit],
      );
      return found.map(({ kind }) => kind);
    },
    /** The deposits of which a customer was told. */
    told: (user: UserId) =>
      rows(em(), `select subject from events where type = 'crypto_deposit' and user_id = $1`, [user]),
  };
}
