/** The clearing side of the network simulator: files of records and of settlement, delivered into the object store. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Storage } from '../../adapters/storage.ts';
import { formatAmount, parseMoney, type Money } from '../../domain/money.ts';
import { MERCHANT } from './messages.ts';

const Wire = z.strictObject({ amount: z.string(), currency: z.string() });
type Wire = z.output<typeof Wire>;

/** Fields of a record pass as they are; these are made where they are left out. */
const Record = z.looseObject({
  record_id: z.string().default(() => randomUUID()),
  pan: z.string(),
  kind: z.enum(['purchase', 'cash', 'refund']).default('purchase'),
  billing: Wire,
  interchange: Wire.optional(),
  merchant: z.looseObject({}).default(MERCHANT),
  final: z.boolean().default(true),
});
type Record = z.output<typeof Record>;

export const ClearingWish = z.strictObject({
  records: z.array(Record).min(1),
  /** `trailer_sum`: a sum that is not that of the records; `truncated`: cut off in the middle. */
  faults: z.array(z.enum(['trailer_sum', 'truncated'])).default([]),
  /** The same file so many times. */
  deliver: z.int().min(1).max(20).default(1),
});
export const SettlementWish = z.strictObject({ clearing_files: z.array(z.string()).min(1) });

export interface Clearing {
  /** Delivers a clearing file; answers its id. */
  clear(wish: z.output<typeof ClearingWish>): Promise<{ readonly file_id: string }>;
  /** Delivers a settlement file for these clearing files; answers its id and what the bank pays. */
  settle(wish: z.output<typeof SettlementWish>): Promise<{ readonly file_id: string; readonly net: Wire }>;
}

function moneyOf(wire: Wire): Money {
  const money = parseMoney(wire);
  if (typeof money === 'string') throw new Error(`${wire.amount} ${wire.currency}: ${money}`);
  return money;
}
const wireOf = (money: Money): Wire => ({ amount: formatAmount(money), currency: money.asset });

/** Sums by currency. */
function added(amounts: readonly Money[]): Money[] {
  const sums = Map.groupBy(amounts, ({ asset }) => asset);
  return [...sums].map(([asset, of]) => ({ asset, minor: of.reduce((sum, { minor }) => sum + minor, 0n) }));
}

const billed = ({ kind, billing }: Record): Money => {
  const { minor, asset } = moneyOf(billing);
  return { asset, minor: kind === 'refund' ? -minor : minor };
};
/** What the bank pays for a record: without its own share. */
const netOf = (record: Record): Money[] => {
  const { asset, minor } = moneyOf(record.interchange ?? { amount: '0', currency: record.billing.currency });
  return [billed(record), { asset, minor: -minor }];
};

/** What the network delivers goes into `in/` of the folder. It knows what it has delivered since it was started. */
export function createClearing(storage: Pick<Storage, 'put'>, folder: string): Clearing {
  const nets = new Map<string, Money[]>();
  const head = () => ({
    file_id: randomUUID(),
    network: 'sandbox',
    date: new Date().toISOString().slice(0, 10),
  });
  const deliver = async (lines: readonly object[], times: number, cutOff = 0): Promise<void> => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const content = Buffer.from(text.slice(0, text.length - cutOff));
    for (let time = 0; time < times; time += 1)
      await storage.put(`${folder}/in/${randomUUID()}.jsonl`, content, 'application/x-ndjson');
  };
  return {
    async clear({ records, faults, deliver: times }) {
      const about = head();
      const isWrong = faults.includes('trailer_sum');
      const sums = added(records.map(billed)).map(({ asset, minor }) =>
        wireOf({ asset, minor: isWrong ? minor + 1n : minor }),
      );
      const lines = [about, ...records, { count: records.length, sums }];
      await deliver(lines, times, faults.includes('truncated') ? 20 : 0);
      nets.set(about.file_id, records.flatMap(netOf));
      return { file_id: about.file_id };
    },
    async settle({ clearing_files }) {
      const [net, ...others] = added(clearing_files.flatMap((id) => nets.get(id) ?? []));
      if (net === undefined || others.length > 0)
        throw new Error('they are not files of one currency that were delivered since the start');
      const about = head();
      await deliver([{ ...about, clearing_files, net: wireOf(net) }], 1);
      return { file_id: about.file_id, net: wireOf(net) };
    },
  };
}
