/** The rail of files against the real store and database: each payment one file, each report once, nothing lost. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { z } from 'zod';
import { railActivities } from '../../../activities/rail.ts';
import { createFileRail } from '../../../services/transfers/file-rail.ts';
import type { PaymentRail } from '../../../adapters/rail/rail.ts';
import { createStorage, type Storage } from '../../../adapters/storage.ts';
import { loadConfig } from '../../../config.ts';
import { answersTo, readOrder } from '../../../dev/rail/bank.ts';
import { railIdOf, type RailReport } from '../../../domain/transfers/rail.ts';
import type { TransferId } from '../../../domain/ids.ts';
import { openOrders } from '../../support/bank/orders.ts';
import { ownBank } from '../../support/stack/database.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import { openGate, type Gate } from '../../support/stack/gate.ts';
import { openRailPayer, type RailPayer } from '../../support/bank/rail-payer.ts';
import { stack } from '../../support/stack/stack.ts';
import { violations } from '../../support/formats/xsd.ts';
import { until } from '../../support/stack/processes.ts';

const config = loadConfig(stack.serviceEnv);
const Line = z.looseObject({ alert: z.string().optional(), fault: z.string().optional() });

let books: Books;
let payer: RailPayer;
let gate: Gate;
beforeAll(async () => {
  books = openBooks(await ownBank());
  payer = await openRailPayer(books);
  gate = await openGate(new URL(config.S3_ENDPOINT));
});
afterAll(async () => {
  await gate.close();
  await books.close();
});

interface World {
  readonly rail: PaymentRail;
  readonly folder: string;
  readonly storage: Storage;
  readonly alerts: z.output<typeof Line>[];
  /** Books a payment and gives it to the rail. */
  pay(remittance?: string): Promise<TransferId>;
  /** What the bank answers to a payment, put where the bank puts it. */
  answer(id: TransferId): Promise<void>;
  drop(name: string, content: string | Buffer): Promise<void>;
  names(folder: 'in' | 'out' | 'done' | 'refused'): Promise<string[]>;
  collected(): Promise<RailReport[]>;
}

/** A rail with folders of its own; `endpoint` leads to the store another way. */
function openWorld(endpoint = config.S3_ENDPOINT, folder = `rail-${randomUUID()}`): World {
  const storage = createStorage({ ...config, S3_ENDPOINT: endpoint });
  const alerts: z.output<typeof Line>[] = [];
  const log = pino(
    { level: 'error' },
    { write: (line: string) => void alerts.push(Line.parse(JSON.parse(line))) },
  );
  const rail = createFileRail({ config: { ...config, RAIL_FOLDER: folder }, storage, em: books.em, log });
  const { submitToRail } = railActivities({ em: books.em, rail });
  const orders = openOrders(books);
  const world: World = {
    rail,
    folder,
    storage,
    alerts,
    async pay(remittance) {
      const order = payer.order(1_234n, remittance);
      expect(await orders.submit(order)).toMatchObject({ status: 'submitted' });
      await submitToRail(order.id);
      return order.id;
    },
    async answer(id) {
      const file = await content(storage, `${folder}/out/${railIdOf(id)}.xml`);
      const delays = { acceptSeconds: 0, settleSeconds: 0 };
      for (const { name, xml } of answersTo(readOrder(file), delays, new Date())) await world.drop(name, xml);
    },
    drop: (name, text) => storage.put(`${folder}/in/${name}`, Buffer.from(text), 'application/xml'),
    names: async (inside) => {
      const prefix = `${folder}/${inside}/`;
      return (await storage.list(prefix, 1_000)).map((key) => key.slice(prefix.length));
    },
    async collected() {
      const reports: RailReport[] = [];
      await rail.collect(async (report) => void reports.push(report));
      return reports;
    },
  };
  return world;
}

async function content(storage: Storage, key: string): Promise<Buffer> {
  const found = await storage.content(key, 1_000_000);
  if (!Buffer.isBuffer(found)) throw new Error(`${key} cannot be read`);
  return found;
}

const kinds = (reports: readonly RailReport[]): string[] => reports.map(({ kind }) => kind);

test('a payment becomes one valid file, with what the books say of it', async () => {
  const world = openWorld();
  const id = await world.pay('Rechnung Nr. 5 – für März');
  expect(await world.names('out')).toEqual([`${railIdOf(id)}.xml`]);
  const file = await content(world.storage, `${world.folder}/out/${railIdOf(id)}.xml`);
  expect(violations('pain.001.001.09', file)).toEqual([]);
  const [account] = await books.asOwner('select iban from accounts where id = $1', [payer.account]);
  for (const part of [
    '<InstdAmt Ccy="EUR">12.34</InstdAmt>',
    '<Nm>Helene Muller + Fils</Nm>',
    '<Nm>Test Person</Nm>',
    '<Ustrd>Rechnung Nr. 5 - fur Marz</Ustrd>',
    `<IBAN>${String(account?.['iban'])}</IBAN>`,
    '<Ctry>FR</Ctry>',
  ])
    expect(file.toString()).toContain(part);
});

test('the same payment given twice, one after the other or at once, is one file', async () => {
  const world = openWorld();
  const id = await world.pay();
  const key = `${world.folder}/out/${railIdOf(id)}.xml`;
  const first = await content(world.storage, key);
  const { submitToRail } = railActivities({ em: books.em, rail: world.rail });
  await Promise.all([submitToRail(id), submitToRail(id), submitToRail(id)]);
  expect(await world.names('out')).toHaveLength(1);
  expect(await content(world.storage, key)).toEqual(first);
  // the bank has taken it: nothing puts it there again
  await world.storage.remove(key);
  await submitToRail(id);
  expect(await world.names('out')).toEqual([]);
});

test('a payment whose delivery is not known is delivered again, the same to the last byte', async () => {
  const world = openWorld();
  const order = payer.order(1_234n);
  await openOrders(books).submit(order);
  const key = `${world.folder}/out/${railIdOf(order.id)}.xml`;
  // a worker that dies between the file and the note that it is there
  const dying = createFileRail({
    config: { ...config, RAIL_FOLDER: world.folder },
    storage: {
      ...world.storage,
      put: async (...file) => {
        await world.storage.put(...file);
        throw new Error('the lights go out');
      },
    },
    em: books.em,
    log: pino({ level: 'silent' }),
  });
  await expect(railActivities({ em: books.em, rail: dying }).submitToRail(order.id)).rejects.toThrow(
    'lights',
  );
  const first = await content(world.storage, key);
  await railActivities({ em: books.em, rail: world.rail }).submitToRail(order.id);
  expect(await content(world.storage, key)).toEqual(first);
});

test('a transfer that the rail does not carry is not given to it', async () => {
  const world = openWorld();
  const own = await books.account(payer.customer);
  const { beneficiaryId: _none, ...rest } = payer.order(100n);
  const order = { ...rest, type: 'internal', destination: own };
  expect(await openOrders(books).submit(order)).toMatchObject({ status: 'executed' });
  const { submitToRail } = railActivities({ em: books.em, rail: world.rail });
  await expect(submitToRail(order.id)).rejects.toThrow('not one that the rail carries');
  expect(await world.names('out')).toEqual([]);
});

test('a payment that the rail has no way to say is rejected, so that its money goes back', async () => {
  const world = openWorld();
  const amount = { minor: 10n ** 20n, asset: 'EUR' };
  const rich = await openRailPayer(books, amount.minor);
  const order = rich.order(amount.minor);
  await books.asOwner('update transfer_type_currencies set approval_above = 1e21 where type_code = $1', [
    order.type,
  ]);
  expect(await openOrders(books).submit(order)).toMatchObject({ status: 'submitted' });
  await world.rail.submit({
    transferId: order.id,
    type: 'international',
    amount,
    debtor: { name: 'Ada', account: '1' },
    creditor: { name: 'Grace', account: '2', country: 'US' },
    remittance: '',
    executionDate: '2026-11-23',
  });
  expect(await world.names('out')).toEqual([]);
  expect(await world.collected()).toMatchObject([{ transferId: order.id, kind: 'rejected', code: 'AM12' }]);
  expect(world.alerts).toMatchObject([{ alert: 'rail_payment_unwritable' }]);
});

test('reports are brought once and their files kept', async () => {
  const world = openWorld();
  const id = await world.pay('sandbox: return-late MD07');
  await world.answer(id);
  const reports = await world.collected();
  expect(kinds(reports).sort()).toEqual(['accepted', 'returned', 'settled']);
  expect(reports.every(({ transferId }) => transferId === id)).toBe(true);
  expect(reports.find(({ kind }) => kind === 'returned')).toMatchObject({ code: 'MD07' });
  expect(await world.names('in')).toEqual([]);
  expect(await world.names('done')).toHaveLength(3);
  expect(await world.collected()).toEqual([]);
});

test('a file that comes twice is reported once, whatever its name', async () => {
  const world = openWorld();
  const id = await world.pay('sandbox: twice');
  await world.answer(id);
  expect(kinds(await world.collected()).sort()).toEqual(['accepted', 'settled']);
  await world.answer(id);
  expect(await world.collected()).toEqual([]);
  expect(await world.names('in')).toEqual([]);
  expect(world.alerts).toEqual([]);
});

test('several workers that collect at once bring each report once', async () => {
  const world = openWorld();
  const ids = await Promise.all(Array.from({ length: 8 }, () => world.pay()));
  for (const id of ids) await world.answer(id);
  const second = openWorld(config.S3_ENDPOINT, world.folder);
  const reports = (await Promise.all([world.collected(), second.collected(), world.collected()])).flat();
  // what one of them had claimed when another looked is left to it
  reports.push(...(await world.collected()));
  expect(reports).toHaveLength(16);
  expect(new Set(reports.map(({ messageId }) => messageId)).size).toBe(16);
  expect(await world.names('done')).toHaveLength(16);
});

test('a report that cannot be brought is tried again, and does not keep others waiting', async () => {
  const world = openWorld();
  const [stuck, fine] = [await world.pay(), await world.pay()];
  await world.answer(stuck);
  await world.answer(fine);
  const brought: TransferId[] = [];
  const handle = async (report: RailReport): Promise<void> => {
    if (report.transferId === stuck) throw new Error('not now');
    brought.push(report.transferId);
  };
  expect(await world.rail.collect(handle)).toBe(2);
  expect(brought).toEqual([fine, fine]);
  expect(world.alerts.map(({ alert }) => alert)).toEqual(['rail_report_waits', 'rail_report_waits']);
  // it is put off by a second, in which a busy machine may not look again
  const later = `update rail_messages set due_at = due_at + interval '1 minute' where transfer_id = $1`;
  await books.asOwner(later, [stuck]);
  expect(await world.collected()).toEqual([]);
  await books.asOwner('update rail_messages set due_at = now() where transfer_id = $1', [stuck]);
  expect(kinds(await world.collected()).sort()).toEqual(['accepted', 'settled']);
});

test('what was taken in survives the worker that took it', async () => {
  const world = openWorld();
  const id = await world.pay();
  await world.answer(id);
  const dead = new Promise<never>(() => undefined);
  void world.rail.collect(() => dead);
  const written = async (): Promise<unknown> =>
    (
      await books.asOwner(
        'select count(*)::int as n from rail_messages where transfer_id = $1 and attempts = 1',
        [id],
      )
    )[0]?.['n'];
  await until(async () => (await written()) === 2, written);
  // its claim runs out after a minute
  await books.asOwner('update rail_messages set due_at = now() where transfer_id = $1', [id]);
  expect(kinds(await openWorld(config.S3_ENDPOINT, world.folder).collected()).sort()).toEqual([
    'accepted',
    'settled',
  ]);
});

test.each<[string, string, (xml: string) => string | Buffer]>([
  ['cannot be read', 'it is not well-formed XML', (xml) => xml.slice(0, 200)],
  [
    'is about a payment nobody made',
    'never given to the rail',
    (xml) => xml.replace(/[0-9a-f]{32}/g, 'f'.repeat(32)),
  ],
  ['is about another amount', 'another amount', (xml) => xml.replaceAll('12.34', '12.35')],
  ['is about another currency', 'another amount', (xml) => xml.replaceAll('EUR', 'USD')],
  ['is huge', 'too large', (xml) => Buffer.concat([Buffer.from(xml), Buffer.alloc(5 * 1024 * 1024, ' ')])],
])('a file that %s is put aside with an alert, and no transfer hears of it', async (_what, fault, forge) => {
  const world = openWorld();
  const id = await world.pay();
  await world.answer(id);
  const [key] = await world.storage.list(`${world.folder}/in/STL`, 1);
  const genuine = (await content(world.storage, key ?? '')).toString();
  await world.storage.remove(key ?? '');
  await world.drop('forged.xml', forge(genuine));
  expect(kinds(await world.collected())).toEqual(['accepted']);
  expect(world.alerts).toEqual([
    expect.objectContaining({ alert: 'rail_file_refused', fault: expect.stringContaining(fault) }),
  ]);
  expect(await world.names('in')).toEqual([]);
  const [kept, more] = await world.names('refused');
  expect(kept).toMatch(/^(?:[0-9a-f]{16}|large)-forged\.xml$/);
  expect(more).toBeUndefined();
  // looked at once, not again and again
  expect(await world.collected()).toEqual([]);
  expect(world.alerts).toHaveLength(1);
});

test('an id that was used before for something else is refused, and what stood stands', async () => {
  const world = openWorld();
  const id = await world.pay('sandbox: reject AC06');
  await world.answer(id);
  const [key] = await world.storage.list(`${world.folder}/in/`, 1);
  const genuine = (await content(world.storage, key ?? '')).toString();
  expect(await world.collected()).toMatchObject([{ kind: 'rejected', code: 'AC06' }]);
  await world.drop('forged.xml', genuine.replace('AC06', 'AC04'));
  expect(await world.collected()).toEqual([]);
  expect(world.alerts).toMatchObject([{ fault: 'its id was used before for something else' }]);
  expect(await books.asOwner('select kind, code from rail_messages where transfer_id = $1', [id])).toEqual([
    { kind: 'rejected', code: 'AC06' },
  ]);
});

test('files with odd names are taken in like others', async () => {
  const world = openWorld();
  const id = await world.pay('sandbox: reject');
  const file = await content(world.storage, `${world.folder}/out/${railIdOf(id)}.xml`);
  const [answer] = answersTo(readOrder(file), { acceptSeconds: 0, settleSeconds: 0 }, new Date());
  for (const name of ['50%.xml', 'a+b c&d.xml', 'märz/../x.xml', `${'long'.repeat(50)}.xml`, 'no ending'])
    await world.drop(name.replace('../', ''), answer?.xml ?? '');
  expect(kinds(await world.collected())).toEqual(['rejected']);
  expect(await world.names('in')).toEqual([]);
  expect(await world.names('done')).toHaveLength(5);
  expect(world.alerts).toEqual([]);
});

test('a file that cannot be moved does not keep others waiting', async () => {
  const world = openWorld();
  const id = await world.pay();
  await world.answer(id);
  const stuck = `${world.folder}/in/AAA.xml`;
  await world.drop('AAA.xml', 'no XML');
  const storage: Storage = {
    ...world.storage,
    move: (from, to) =>
      from === stuck ? Promise.reject(new Error('no permission')) : world.storage.move(from, to),
  };
  const alerts: unknown[] = [];
  const log = pino(
    { level: 'error' },
    { write: (line: string) => void alerts.push(Line.parse(JSON.parse(line)).alert) },
  );
  const rail = createFileRail({
    config: { ...config, RAIL_FOLDER: world.folder },
    storage,
    em: books.em,
    log,
  });
  expect(await rail.collect(() => Promise.resolve())).toBe(2);
  expect(alerts).toEqual(['rail_file_waits']);
  expect(await world.names('in')).toEqual(['AAA.xml']);
});

test('while the store is away nothing is lost: payments wait, and what was taken in is brought all the same', async () => {
  const world = openWorld(`http://127.0.0.1:${String(gate.port)}`);
  const before = await world.pay();
  await world.answer(before);
  await world.rail.collect(() => Promise.reject(new Error('not now')));
  await books.asOwner('update rail_messages set due_at = now() where transfer_id = $1', [before]);

  gate.shut();
  const order = payer.order(1_234n);
  await openOrders(books).submit(order);
  const { submitToRail } = railActivities({ em: books.em, rail: world.rail });
  await expect(submitToRail(order.id)).rejects.toMatchObject({ code: 'unavailable' });
  const reports: RailReport[] = [];
  const collecting = world.rail.collect(async (report) => void reports.push(report));
  await expect(collecting).rejects.toMatchObject({ code: 'unavailable' });
  expect(kinds(reports).sort()).toEqual(['accepted', 'settled']);

  gate.open();
  await submitToRail(order.id);
  await world.answer(order.id);
  expect(kinds(await world.collected()).sort()).toEqual(['accepted', 'settled']);
});

test('what the rail has said cannot be changed nor forgotten', async () => {
  const world = openWorld();
  const id = await world.pay();
  await world.answer(id);
  await world.collected();
  for (const statement of [
    `update rail_messages set handled_at = null where transfer_id = $1`,
    `delete from rail_messages where transfer_id = $1`,
    `update rail_payments set delivered_at = null where transfer_id = $1`,
    `delete from rail_payments where transfer_id = $1`,
  ])
    await expect(books.asOwner(statement, [id])).rejects.toMatchObject({ code: '23001' });
});
