/** The floor under a read: a Koa route that runs the same SQL on the same database and writes the rows as JSON. Nothing else. */
import Koa from 'koa';
import pg from 'pg';
import { accountsOf } from '../../db/queries/accounts/accounts.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 24 });
const app = new Koa();
app.use(async (ctx) => {
  const owner = ctx.get('x-owner');
  const { rows } = await pool.query(accountsOf.sql, [owner, null, 51]);
  ctx.body = { items: rows, next_cursor: null };
});
app.listen(Number(process.env['BARE_PORT']), '127.0.0.1');
