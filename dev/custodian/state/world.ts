/** The custodian's data, and how it changes: a change is on disk before its webhooks are sent. */
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

/** The one workspace of the sandbox. */
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
  /** Secret that all addresses are derived from. */
  readonly seed: Buffer;
  settings(): Settings;
  change(settings: Settings): void;
  /** The time in milliseconds. It never repeats, so it can serve as the cursor of a list. */
  now(): number;
  /** Returns and clears the fate of the next outgoing transaction. */
  takeFate(): NextFate | null;
  setFate(fate: NextFate | null): void;
  /** Adds a webhook, which is sent when the change is on disk. */
  tell(eventType: string, data: object, resourceId: string): void;
  /** Makes a change: on return it is on disk and its webhooks are being sent. `told` holds their ids. */
  act<Result>(change: () => Result): { readonly result: Result; readonly told: readonly string[] };
  /** Registers work for the end of every change, such as webhooks about balances. */
  atTheEnd(finish: () => void): void;
  /** Sets the sender of webhooks; without one none are recorded. */
  sendBy(send: (ids: readonly string[]) => void): void;
  close(): void;
}

/** Opens the data in that journal. */
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
        // also after an error: an external id stays taken if its request fails
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

/** Drawn once, so that addresses stay the same as long as the journal exists. */
function seedOf(journal: Journal): Buffer {
  const secrets = journal.table('secrets', Secret);
  const seed = secrets.get('seed') ?? { text: randomBytes(32).toString('hex') };
  secrets.set('seed', seed);
  journal.commit();
  return Buffer.from(seed.text, 'hex');
}
