/**
 * The floor under POST /v1/transfers: a Koa route with the same statements, pool and batcher, and nothing else. Nobody is identified,
 * no token is verified, nothing is validated, throttled, measured or logged.
 */
import { createHash, randomUUID } from 'node:crypto';
import Koa from 'koa';
import { z } from 'zod';
import { newUuid } from '../../adapters/new-id.ts';
import { loadConfig } from '../../config.ts';
import { createOrderTaker } from '../../db/ledger/transfers.ts';
import { openOrm } from '../../db/orm.ts';
import { accountsOfPayment } from '../../db/queries/accounts/accounts.ts';
import { pricesInForce } from '../../db/queries/pricing/prices-in-force.ts';
import { AccountId, TransferId, UserId } from '../../domain/ids.ts';

const config = loadConfig();
const orm = openOrm(config);
const em = () => orm.em.fork();
const orders = createOrderTaker(em, false);

const Body = z.object({
  source_account_id: AccountId,
  destination: z.object({ account_id: AccountId }),
  amount: z.object({ amount: z.string(), currency: z.string() }),
});

async function textOf(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const app = new Koa();
app.use(async (ctx) => {
  if (ctx.method === 'GET') return void (ctx.body = 'ready');
  const caller = UserId.parse(process.env['BARE_CALLER']);
  const text = await textOf(ctx.req);
  const { source_account_id: from, destination, amount } = Body.parse(JSON.parse(text));
  const db = em();
  const { payer, payee } = await accountsOfPayment(
    db,
    { id: from, owner: caller },
    { id: destination.account_id },
  );
  if (payer === undefined || payee === undefined) return void (ctx.status = 404);
  const { asset } = payer;
  await pricesInForce.one(db, {
    ...{ type: 'own', accountTypeId: payer.typeId, source: asset, target: asset, at: null },
  });
  const taken = await orders.submit({
    caller,
    key: {
      operation: 'createTransfer',
      key: ctx.get('idempotency-key'),
      hmac: createHash('sha256').update(text).digest(),
    },
    stepUpId: randomUUID(),
    requestId: null,
    order: {
      ...{ id: TransferId.parse(newUuid()), kind: 'transfer', type: 'own', requestedBy: caller },
      ...{ customerId: caller, source: payer.id, destination: payee.id, asset, description: '' },
      amount: amount.amount.replace('.', ''),
    },
  });
  ctx.status = taken.refusal === null ? 201 : 409;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(taken, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
});
app.listen(config.PORT, '127.0.0.1');
