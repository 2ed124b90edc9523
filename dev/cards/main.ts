/** The card network simulator: a process of its own, with a page, a shop and a control API. */
import { pino } from 'pino';
import { z } from 'zod';
import { networkKeys } from '../../adapters/card-network.ts';
import { createStorage } from '../../adapters/storage.ts';
import { loadConfig } from '../../config.ts';
import { openOrm } from '../../db/orm.ts';
import { messagesOfNewestPayments } from '../../db/queries/cards/payments.ts';
import { keepAssets } from '../../services/platform/assets.ts';
import { answered, createControl, listenOnLoopback } from '../simulators/control.ts';
import { AuthenticationWish, createAuthentications } from './authentications.ts';
import { ClearingWish, createClearing, SettlementWish } from './clearing.ts';
import { createDisputes, OutcomeWish } from './disputes.ts';
import { Wish } from './messages.ts';
import { createNetwork, Settings } from './network.ts';
import { paymentsPage } from './payments.ts';
import { SHOP } from './shop.ts';

const { CARD_NETWORK_PORT: port } = z
  .object({ CARD_NETWORK_PORT: z.coerce.number().int().min(0).max(65_535).default(7071) })
  .parse(process.env);
const config = loadConfig();
if (config.NODE_ENV === 'production') throw new Error('the card network simulator is not for production');
const log = pino({ level: config.LOG_LEVEL, base: { name: 'card network' } });
const [first] = networkKeys(config.CARD_NETWORK_KEYS);
if (first === undefined) throw new Error('CARD_NETWORK_KEYS has no key');

const orm = openOrm({ ...config, DATABASE_POOL_MAX: 1 });
const em = () => orm.em.fork();
const assets = await keepAssets({ config, em, log });
const payments = async (): Promise<string> => {
  try {
    return paymentsPage(await messagesOfNewestPayments.all(em(), { most: 20 }));
  } catch (err) {
    log.warn({ err }, 'the payments of the bank cannot be read');
    return '<p>The payments of the bank cannot be read.</p>';
  }
};
const storage = createStorage(config);
const clearing = createClearing(storage, config.CARD_FOLDER);
const [kid, key] = first;
const door = (name: string): string => `${config.publicUrl}/v1/cards/network/${name}`;
const authentications = createAuthentications({ door: door('authentications'), kid, key });
const control = createControl({
  title: 'Card network',
  about: 'Asks the bank whether cards may pay, and answers in its place while it is away. See docs/cards.md.',
  calls: {
    message: 'it sends what it was asked to send',
    advice: 'it tells what the bank has not taken yet',
    dispute: 'it tells what it has decided about a dispute',
  },
  routes: {
    'POST /messages': (body) => answered(async () => ({ answers: await network.send(Wish.parse(body)) })),
    'POST /clearings': (body) => answered(() => clearing.clear(ClearingWish.parse(body))),
    'POST /settlements': (body) => answered(() => clearing.settle(SettlementWish.parse(body))),
    'POST /disputes/{id}': (body, id) => answered(() => disputes.decide(id, OutcomeWish.parse(body))),
    'POST /authentications': (body) =>
      answered(async () => {
        const answer = await authentications.ask(AuthenticationWish.parse(body));
        const { proof: _proof, ...shown } = answer;
        control.note('authentication', shown);
        return answer;
      }),
    'GET /authentications/{id}': (_body, id) => answered(() => authentications.now(id)),
    'PUT /settings': (body) => answered(() => network.settings(Settings.parse(body))),
    'GET /settings': () => answered(() => ({ ...network.settings({}), waiting: network.waiting() })),
  },
  more: async () => `${SHOP}${await payments()}`,
});
const disputes = createDisputes({ storage, config, door: door('disputes'), kid, key, control });
const network = createNetwork({ door: door('messages'), kid, key, control });
await listenOnLoopback(control.server, port, 'CARD_NETWORK_PORT');
log.info({ port }, 'the card network runs');
await new Promise((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
});
network.stop();
control.server.close();
await assets.close();
await orm.close(true);
