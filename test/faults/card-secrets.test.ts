/** Numbers, verification values, PINs and proofs of cards are used in every way that there is, and afterwards found nowhere in clear. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { createCardVault } from '../../adapters/card-vault.ts';
import { loadConfig } from '../../config.ts';
import { call, euro } from '../support/bank/accounts.ts';
import type { Person } from '../support/bank/bank.ts';
import { CardAnswer, cardPlan, cvvOf, newCard, numberOf } from '../support/bank/cards.ts';
import { newRrn, newStan, shop, signed } from '../support/bank/card-network.ts';
import { encryptedPin, putPin, setPin } from '../support/bank/pins.ts';
import { newKey } from '../support/client.ts';
import { openBranch, type Branch } from '../support/stack/branch.ts';
import { until } from '../support/stack/processes.ts';
import { stack } from '../support/stack/stack.ts';

let branch: Branch;
let collector: Server;
let traces = '';
let holder: Person;

beforeAll(async () => {
  collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      traces += chunk.toString();
    });
    request.on('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  const port = await listen(collector);
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${String(port)}`;
  branch = await openBranch({ settings: { LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT } });
  await Promise.all([branch.startApi(), branch.startWorker()]);
  holder = await branch.bank.customer();
});
afterAll(async () => {
  await branch.close();
  collector.closeAllConnections();
  collector.close();
});

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Twelve digits, which nothing else has by chance. */
const newPin = (): string => String(randomInt(100_000_000_000, 281_474_976_710_655)).slice(0, 12);

/** Uses the card in every way in which a secret goes in or out, rightly and wrongly; returns its PINs. */
async function use(card: CardAnswer): Promise<string[]> {
  const [first, second, wrong] = [newPin(), newPin(), newPin()];
  await numberOf(holder, card);
  expect(await cvvOf(holder, card)).toMatchObject({ status: 200 });
  expect(await setPin(holder, card, first)).toMatchObject({ status: 200 });
  const message = await encryptedPin(holder, { pin: second, card_id: card.id });
  expect(await putPin(holder, card, message)).toMatchObject({ status: 200 });
  expect(await putPin(holder, card, message)).toMatchObject({ status: 400 });
  // a client that does not encrypt
  expect(await putPin(holder, card, wrong)).toMatchObject({ status: 400 });
  return [first, second, wrong];
}

/** Pays with a proof, rightly and wrongly; returns it. */
async function payWithProof(card: CardAnswer): Promise<string> {
  const of = {
    pan: await numberOf(holder, card),
    expiry: card.expiry,
    merchant: shop,
    billing: euro('1.00'),
  };
  const door = (name: string, body: object) =>
    holder.client.call('POST', `/v1/cards/network/${name}`, signed({ ...of, ...body }));
  const asked = await door('authentications', { authentication_id: newKey() });
  const { proof } = asked.as(z.looseObject({ proof: z.string() }));
  for (const more of [{}, { merchant: { ...shop, id: 'SHOP2' } }]) {
    const keys = { payment_id: newKey(), stan: newStan(), rrn: newRrn() };
    const paid = await door('messages', { type: '0100', ...keys, entry_mode: 'ecommerce', proof, ...more });
    expect(paid).toMatchObject({ status: 200 });
  }
  return proof;
}

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const tables = await branch.bank.asOwner(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => branch.bank.asOwner(`select t::text as row from ${String(name)} t`)),
  );
  return rows
    .flat()
    .map(({ row }) => String(row))
    .join('\n');
}

/** Files of the run beside those of PostgreSQL, whose rows are read: logs, what Temporal and the store keep. */
function files(): string[] {
  return readdirSync(stack.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[/\\](postgres|branch-[^/\\]+)[/\\]/.test(file.slice(stack.folder.length)));
}

test('no number, verification value, PIN or proof is found in rows, logs, histories, traces, the store or mail', async () => {
  const { bank } = branch;
  const { productId } = await cardPlan(bank);
  const cards = [await newCard(bank, holder, productId), await newCard(bank, holder, productId)];
  const pins = (await Promise.all(cards.map(use))).flat();
  const proofs = await Promise.all(cards.map(payWithProof));
  const [lost] = cards;
  const replaced = await call(
    holder,
    'POST',
    `/v1/cards/${String(lost?.id)}/replace`,
    { reason: 'lost' },
    {
      stepUp: await holder.stepUp('replaceCard'),
    },
  );
  const office = await bank.admin('cards:read', 'cards:write');
  await call(office, 'GET', '/v1/admin/cards');
  await call(office, 'PATCH', `/v1/admin/cards/${replaced.as(CardAnswer).id}`, {
    ...{ status: 'blocked', reason: 'Seen in a list of stolen ones' },
  });
  await until(() => traces.includes('revealCardNumber') || traces.includes('/v1/cards/'));

  const vault = createCardVault(loadConfig(branch.env).CARD_KEYS);
  const secrets = await bank.asOwner('select card_id, sealed_number from card_secrets');
  const numbers = secrets.map(({ card_id, sealed_number }) =>
    vault.open(z.instanceof(Buffer).parse(sealed_number), z.string().parse(card_id)),
  );
  expect(numbers).toHaveLength(3);
  expect(pins).toHaveLength(6);

  const mail = await (await fetch(`${stack.inboxUrl}/email`)).text();
  const places = new Map<string, Buffer>([
    ['rows', Buffer.from(await dump())],
    ['traces', Buffer.from(traces)],
    ['mail', Buffer.from(mail)],
    ...files().map((file) => [file, readFileSync(file)] as const),
  ]);
  expect([...places.keys()].filter((place) => place.endsWith('-api.log'))).not.toEqual([]);
  // of a proof, what nobody can calculate without the keys
  const made = proofs.map((proof) => Buffer.from(proof, 'base64url').subarray(16).toString('hex'));
  const wanted = [...numbers, ...pins, ...proofs, ...made].flatMap((secret) => [
    secret,
    // as it would be in a column of bytes, and as four groups
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    secret.replace(/(\d{4})(?=\d)/g, '$1 '),
  ]);
  const found = [...places].flatMap(([place, bytes]) => [
    ...wanted.filter((secret) => bytes.includes(secret)).map(() => place),
    // three digits are everywhere, so that a verification value is looked for by its name
    ...(/"?cvv"?\s*[:=]\s*"?\d{3}\b/i.test(bytes.toString('latin1'))
      ? [`${place}: a verification value`]
      : []),
  ]);
  expect(found).toEqual([]);
}, 600_000);
