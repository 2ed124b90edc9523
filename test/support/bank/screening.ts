/** A bank of its own whose lists a test loads, with customers and payees by name. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrderTaker } from '../../../db/ledger/transfers.ts';
import type { ListLoadRow } from '../../../db/queries/aml/list-loads.ts';
import type { OwnTransferRow } from '../../../db/queries/transfers/transfers.ts';
import { BeneficiaryId, TransferId, type AccountId, type UserId } from '../../../domain/ids.ts';
import { loadList } from '../../../services/aml/load-list.ts';
import { payeeScreening, type ScreeningSettings } from '../../../services/aml/screening.ts';
import { screeningRound } from '../../../services/aml/screening-rounds.ts';
import { takeOrder } from '../../../services/transfers/taking.ts';
import { ownBank } from '../stack/database.ts';
import { openBooks, type Books } from './books.ts';
import { claimOf } from './orders.ts';

const SETTINGS: ScreeningSettings = {
  ...{ AML_LIST_MAX_AGE_DAYS: 7, AML_MATCH_THRESHOLD: 70, AML_STALE_LIST: 'alarm' },
};

/** A flag of the watch as tests look at it. */
export interface SeenFlag {
  readonly id: string;
  readonly subject_type: string;
  readonly reason: string;
  readonly status: string;
  readonly held: boolean;
  readonly match: Readonly<Record<string, unknown>> | null;
}

/** Somebody with money. */
export interface Payer {
  readonly id: UserId;
  readonly account: AccountId;
}

export interface ScreenedBank {
  readonly books: Books;
  /** Loads lines "ref,kind,name,birth_date" as the bank's own list. */
  list(...lines: readonly string[]): Promise<ListLoadRow>;
  payer(firstName?: string, lastName?: string): Promise<Payer>;
  payee(of: Payer, name: string): Promise<BeneficiaryId>;
  /** From so many cents on payments outside wait for an approval. */
  approvalAbove(cents: number): Promise<void>;
  /** Pays outside the bank as the API does. */
  pay(of: Payer, payee: BeneficiaryId, settings?: Partial<ScreeningSettings>): Promise<OwnTransferRow>;
  /** Pays without a word of screening, or with what is given; answers the refusal. */
  payUnscreened(of: Payer, payee: BeneficiaryId, screened?: object): Promise<string | null>;
  /** Pays another customer of the bank. */
  payInside(of: Payer, to: AccountId): Promise<string>;
  flags(of: Payer): Promise<SeenFlag[]>;
  resolve(flag: SeenFlag, how: 'cleared' | 'false_positive' | 'confirmed'): Promise<void>;
  round(): Promise<boolean>;
  close(): Promise<void>;
}

export async function openScreenedBank(): Promise<ScreenedBank> {
  const books = openBooks(await ownBank());
  const folder = mkdtempSync(join(tmpdir(), 'screened-'));
  const taker = createOrderTaker(books.em, false);
  const type = 'sepa_always';
  await books.asOwner(
    `insert into transfer_types (code, name, reach) values ($1, 'Open at all hours', 'sepa')`,
    [type],
  );
  await books.asOwner(
    `insert into transfer_type_currencies (type_code, asset, approval_above) values ($1, 'EUR', 100000)`,
    [type],
  );
  const reviewers = [await books.admin(['aml:review']), await books.admin(['aml:review'])];
  let files = 0;

  const claimed = (of: Payer, payee: object, code = type) => ({
    ...{ id: TransferId.parse(randomUUID()), kind: 'transfer' as const },
    ...{ type: code, requestedBy: of.id, customerId: of.id, source: of.account },
    ...{ asset: 'EUR', amount: '100', description: '' },
    ...payee,
  });

  return {
    books,
    list(...lines) {
      const path = join(folder, `${++files}.csv`);
      writeFileSync(path, ['ref,kind,name,birth_date', ...lines, ''].join('\n'));
      return loadList(books.em, 'own', [path]);
    },
    async payer(firstName = 'Test', lastName = 'Person') {
      const id = await books.user();
      await books.asOwner('update users set first_name = $2, last_name = $3 where id = $1', [
        id,
        firstName,
        lastName,
      ]);
      const account = await books.account(id);
      await books.fund(account, 1_000_000n);
      return { id, account };
    },
    async payee(of, name) {
      const [row] = await books.asOwner(
        `insert into beneficiaries (user_id, name, iban, bic, country, fingerprint)
         values ($1, $2, 'FR1420041010050500013M02606', 'PSSTFRPPPAR', 'FR', $3) returning id`,
        [of.id, name, randomUUID()],
      );
      return BeneficiaryId.parse(row?.['id']);
    },
    async approvalAbove(cents) {
      await books.asOwner('update transfer_type_currencies set approval_above = $2 where type_code = $1', [
        type,
        cents,
      ]);
    },
    async pay(of, payee, settings = {}) {
      const [row] = await books.asOwner('select name from beneficiaries where id = $1', [payee]);
      const screen = payeeScreening(
        books.em(),
        { ...SETTINGS, ...settings },
        { name: String(row?.['name']) },
      );
      const wanted = claimed(of, { beneficiaryId: payee });
      const { key, stepUpId, requestId } = claimOf(wanted);
      const claim = { newId: wanted.id, key, stepUpId, requestId };
      return takeOrder({ caller: of.id, claim }, wanted, taker, screen);
    },
    async payUnscreened(of, payee, screened) {
      const claim = JSON.stringify([
        {
          ...{ caller: of.id, operation: 'test', key: randomUUID(), hmac: 'ab'.repeat(32), screened },
          order: {
            ...{
              id: randomUUID(),
              kind: 'transfer',
              type_code: type,
              requested_by: of.id,
              customer_id: of.id,
            },
            ...{ source_account_id: of.account, beneficiary_id: payee, asset: 'EUR', amount: '100' },
            description: '',
          },
        },
      ]);
      const [row] = await books.asOwner('select refusal from transfers_create($1, false)', [claim]);
      const refusal = row?.['refusal'];
      return typeof refusal === 'string' ? refusal : null;
    },
    async payInside(of, to) {
      const { status, refusal } = await taker.submit(claimOf(claimed(of, { destination: to }, 'internal')));
      return status ?? String(refusal);
    },
    async flags(of) {
      const rows = await books.asOwner(
        `select id, subject_type, reason, status, held, match from aml_flags
          where customer_id = $1 and kind = 'sanctions' order by id`,
        [of.id],
      );
      // the columns of the statement above
      return rows as unknown as SeenFlag[];
    },
    async resolve(flag, how) {
      // two confirm
      for (const reviewer of how === 'confirmed' ? reviewers : reviewers.slice(1))
        await books.asOwner('select aml_flag_resolve($1, $2, $3, $4, null)', [
          ...[flag.id, how, reviewer],
          'Looked at well',
        ]);
    },
    round: () => screeningRound({ em: books.em, threshold: SETTINGS.AML_MATCH_THRESHOLD }),
    async close() {
      await books.close();
      rmSync(folder, { recursive: true });
    },
  };
}
