/** The floor under the door of the custodian: a Koa route that verifies the same signature and inserts the raw body. Nothing else. */
import { createRemoteJWKSet, flattenedVerify } from 'jose';
import Koa from 'koa';
import pg from 'pg';

const keys = createRemoteJWKSet(new URL(process.env['BARE_JWKS_URL'] ?? ''));
const pool = new pg.Pool({ connectionString: process.env['BARE_DATABASE_URL'], max: 24 });
const app = new Koa();
app.use(async (ctx) => {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const [head = '', signature = ''] = ctx.get('Fireblocks-Webhook-Signature').split('..');
  const jws = { protected: head, payload: body.toString('base64url'), signature };
  await flattenedVerify(jws, keys, { algorithms: ['RS512'] });
  await pool.query({ name: 'bare', text: 'insert into bench_webhooks (body) values ($1)', values: [body] });
  ctx.body = { message: 'Kept.' };
});
app.listen(Number(process.env['BARE_PORT']), '127.0.0.1');
