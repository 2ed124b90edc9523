/** POST /v1/transfers: one hot account beside any to any, and the whole frame beside a bare route with the same statements. */
import type { AccountId } from '../domain/ids.ts';
import { compare, drive, type Comparison } from './measure.ts';
import type { Caller } from './stage/caller.ts';
import { openAccounts, paying, untilItAnswers, type Between } from './stage/paying.ts';
import type { Stage } from './stage/stage.ts';

const SECONDS = 5;
const ACCOUNTS = 512;
const HOT_CALLERS = [16, 64];
const BARE_CALLERS = [1, 16, 64];

export async function benchTransferRates(
  stage: Stage,
  caller: Caller,
  rounds: number,
): Promise<Comparison[]> {
  const accounts = await openAccounts(stage, caller, ACCOUNTS);
  const hot = accounts[0] ?? caller.source;
  const any = (): AccountId => accounts[Math.floor(Math.random() * accounts.length)] ?? hot;
  const uniform: Between = { payer: any, payee: any };
  const on = (api: string, between: Between, callers: number) => async () =>
    drive(callers, SECONDS, await paying(api, caller, between));

  await on(stage.api, uniform, 16)();
  const results: Comparison[] = [];
  for (const callers of HOT_CALLERS) {
    const shapes = {
      'one hot payer': { payer: () => hot, payee: any },
      'one hot payee': { payer: any, payee: () => hot },
    };
    for (const [name, shape] of Object.entries(shapes))
      results.push(
        await compare(
          `${name} / any to any, ${callers} callers`,
          rounds,
          on(stage.api, shape, callers),
          on(stage.api, uniform, callers),
        ),
      );
  }

  const port = await stage.nextPort();
  const bare = `http://127.0.0.1:${port}`;
  await stage.run('bench/stage/bare-transfers.ts', { PORT: String(port), BARE_CALLER: caller.id });
  await untilItAnswers(bare);
  await on(bare, uniform, 16)();
  for (const callers of BARE_CALLERS)
    results.push(
      await compare(
        `POST /v1/transfers / a bare route, ${callers} callers`,
        rounds,
        on(stage.api, uniform, callers),
        on(bare, uniform, callers),
      ),
    );
  return results;
}
