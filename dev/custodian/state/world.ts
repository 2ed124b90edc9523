/** All that the custodian knows, and how a change of it is made: kept first, then told. */
import { randomBytes, randomUUID } from 'node:crypto';
import { openChains, type Chains } from '../chain/chains.ts';
import type { Journal, Table } from './journal.ts';
import {
  Address,
  ExternalId,
  KeptAnswer,
  Notification,
  Secret,
  Settings,
  SigningKey,
  Transaction,
  Vault,
  type NextFate,
} from './records.ts';

/** As in the workspace of whoever has only one. */
export const WORKSPACE_ID = '5d1c8e0a-7072-4000-8000-000000007072';

const FIRST_SETTINGS: Settings = { automaticBlocks: true, blockSeconds: 5, stepMs: 100, gasStation: false };

export interface World {
  readonly vaults: Table<Vault>;
  readonly addresses: Table<Address>;
  readonly transactions: Table<Transaction>;
  readonly externalIds: Table<ExternalId>;
  readonly answers: Table<KeptAnswer>;
  readonly notifications: Table<Notification>;
  readonly keys: Table<SigningKey>;
  readonly chains: Chains;
  /** What addresses are derived from. */
  readonly seed: Buffer;
  settings(): Settings;
  change(settings: Settings): void;
  /** The time in milliseconds; never the same twice, so that pages of lists can begin after it. */
  now(): number;
  /** What the next transaction out of a vault comes to; used up by being asked for. */
  takeFate(): NextFate | null;
  setFate(fate: NextFate | null): void;
  /** A message for the bank, which is sent once the change is kept. */
  tell(eventType: string, data: object, resourceId: string): void;
  /** Makes a change: when this returns, it is on the disk and its messages are on their way. Answers the ids of those. */
  act<Result>(change: () => Result): { readonly result: Result; readonly told: readonly string[] };
  /** What a change does before it is kept, such as telling the balances that it has moved. */
  atTheEnd(finish: () => void): void;
  /** Who sends messages; until then none are made. */
  sendBy(send: (ids: readonly string[]) => void): void;
  close(): void;
}

/** Opens what is kept in that journal. */
export function openWorld(journal: Journal): World {
  const settings = journal.table('settings', Settings);
  const transactions = journal.table('transactions', Transaction);
  const notifications = journal.table('notifications', Notification);
  let newest = [...transactions.values()].reduce((last, { lastUpdated }) => Math.max(last, lastUpdated), 0);
  let fate: NextFate | null = null;
  let told: string[] = [];
  const finishing: (() => void)[] = [];
  let send: ((ids: readonly string[]) => void) | undefined;

  const world: World = {
    ...{ transactions, notifications, seed: seedOf(journal) },
    vaults: journal.table('vaults', Vault),
    addresses: journal.table('addresses', Address),
    externalIds: journal.table('externalIds', ExternalId),
    answers: journal.table('answers', KeptAnswer),
    keys: journal.table('keys', SigningKey),
    chains: openChains(journal),
    settings: () => settings.get('all') ?? FIRST_SETTINGS,
    change: (changed) => settings.set('all', changed),
    now() {
      newest = Math.max(Date.now(), newest + 1);
      return newest;
    },
    takeFate() {
      const taken = fate;
      fate = null;
      return taken;
    },
    setFate(next) {
      fate = next;
    },
    tell(eventType, data, resourceId) {
      if (send === undefined) return;
      const [id, createdAt] = [randomUUID(), world.now()];
      const body = JSON.stringify({ id, resourceId, workspaceId: WORKSPACE_ID, eventType, createdAt, data });
      notifications.set(id, { id, resourceId, body, createdAt, state: 'waiting', attempts: 0 });
      told.push(id);
    },
    act(change) {
      try {
        const result = change();
        for (const finish of finishing) finish();
        return { result, told: [...told] };
      } finally {
        // also after an error: what was set by then counts
        journal.commit();
        const ids = told;
        told = [];
        if (ids.length > 0) send?.(ids);
      }
    },
    atTheEnd: (finish) => void finishing.push(finish),
    sendBy(sender) {
      send = sender;
    },
    close: () => journal.close(),
  };
  return world;
}

/** Drawn once: addresses stay the same for as long as the journal is kept. */
function seedOf(journal: Journal): Buffer {
  const secrets = journal.table('secrets', Secret);
  const seed = secrets.get('seed') ?? { text: randomBytes(32).toString('hex') };
  secrets.set('seed', seed);
  journal.commit();
  return Buffer.from(seed.text, 'hex');
}
