/** A client that pays over HTTP, and whole sets of accounts that it pays from and to. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import pg from 'pg';
import { AccountId } from '../../domain/ids.ts';
import type { Caller } from './caller.ts';
import type { Stage } from './stage.ts';

/** More than the callers of one round can spend. */
const TOKENS_A_ROUND = 5_000;
const ATTEMPTS = 4;

/** Who pays whom; two calls need not name two accounts. */
export interface Between {
  readonly payer: () => AccountId;
  readonly payee: () => AccountId;
}

/** So many more accounts of the caller, with an overdraft that no benchmark uses up. */
export async function openAccounts(
  stage: Pick<Stage, 'ownerUrl'>,
  caller: Caller,
  count: number,
): Promise<AccountId[]> {
  const owner = new pg.Client(stage.ownerUrl);
  await owner.connect();
  const opened = await owner.query<{ id: string }>(
    `insert into accounts (kind, owner_id, account_type_id, number, asset, overdraft_limit)
     select 'customer', $1, t.id, next_account_number(), t.asset, 1000000000000 from account_types t, generate_series(1, $2) where t.code = 'current_eur' returning id`,
    [caller.id, count],
  );
  await owner.query('analyze');
  await owner.end();
  return opened.rows.map(({ id }) => AccountId.parse(id));
}

/** A client of this address that has its step-up tokens before it is measured. Each call of it is one transfer. */
export async function paying(
  api: string,
  caller: Caller,
  { payer, payee }: Between,
): Promise<() => Promise<void>> {
  const order = () => {
    let [from, to] = [payer(), payee()];
    while (from === to) [from, to] = [payer(), payee()];
    return {
      source_account_id: from,
      destination: { account_id: to },
      amount: { amount: '0.01', currency: 'EUR' },
    };
  };
  // a token is good for one request
  const linked = async (asked = order()) => ({ asked, stepUp: await caller.stepUp(asked) });
  const orders = await Promise.all(Array.from({ length: TOKENS_A_ROUND }, () => linked()));
  const token = await caller.freshToken();
  const agent = new Agent({ keepAlive: true });
  const url = new URL('/v1/transfers', api);
  return async () => {
    const next = orders.pop();
    const body = JSON.stringify(next?.asked ?? order());
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': randomUUID(),
      'x-step-up-token': next?.stepUp ?? '',
    };
    let answer = await send(url, { method: 'POST', agent, headers }, body);
    // what a client does with 503: the same again, with the same key; it costs latency here too
    for (let attempt = 1; answer.status === 503 && attempt < ATTEMPTS; attempt++)
      answer = await send(url, { method: 'POST', agent, headers }, body);
    if (answer.status !== 201 || !answer.text.includes('"executed"'))
      throw new Error(`${answer.status} ${answer.text}`);
  };
}

/** Posts a body of JSON. */
export function call(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<{ status: number; text: string }> {
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  return send(url, { method: 'POST', agent: shared, headers: all }, text);
}

const shared = new Agent({ keepAlive: true });

/** Waits for a server that was just started. */
export async function untilItAnswers(url: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while ((await fetch(url).catch(() => undefined))?.ok !== true) {
    if (performance.now() > deadline) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function send(url: URL, options: object, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text });
      });
    });
    call.on('error', reject).end(body);
  });
}
