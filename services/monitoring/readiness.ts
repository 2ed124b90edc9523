/** Whether the parts that a process needs answer: for probes, metrics and the log, from the same look. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { within } from '../../adapters/in-time.ts';
import { createMailProbe } from '../../adapters/mail.ts';
import { partFailures } from '../../adapters/metrics.ts';
import type { Storage } from '../../adapters/storage.ts';
import type { Temporal } from '../../adapters/temporal.ts';
import type { Config } from '../../config.ts';
import { askDatabase } from '../../db/queries/platform/health.ts';

/** A probe that hangs is worse than one that fails. */
const ANSWER_MILLISECONDS = 1_500;
/** So long an answer is good for whoever asks again. */
const FRESH_MILLISECONDS = 1_000;
/** Whoever asks waits no longer than this for a look, and is then told of the last one: a part that hangs must not make a probe fail. */
const PATIENCE_MILLISECONDS = 400;
/** Looked at also while nobody asks, so that the log says when a part went and came. */
const LOOK_MILLISECONDS = 5_000;

/** One late answer is no outage: a busy machine has them. */
const MISSES = 2;

/** The parts that can be asked. The payment rail is files in the object store. */
export const CHECKED = ['database', 'temporal', 'storage', 'mail'] as const;
type Checked = (typeof CHECKED)[number];
export type Checks = Readonly<Record<Checked, 'ok' | 'down'>>;

export interface Readiness {
  look(): Promise<Checks>;
  /** From now on the process is not ready any more, whatever its parts say. */
  stop(): void;
  isStopping(): boolean;
}

export interface ReadinessDeps {
  readonly config: Pick<Config, 'SMTP_URL'>;
  readonly em: () => EntityManager;
  readonly temporal: Pick<Temporal, 'ping'>;
  readonly storage: Pick<Storage, 'ready'>;
  readonly log: Logger;
}

export function createReadiness({ config, em, temporal, storage, log }: ReadinessDeps): Readiness {
  const asked: Readonly<Record<Checked, () => Promise<unknown>>> = {
    database: () => askDatabase.one(em()),
    temporal: () => temporal.ping(),
    storage: () => storage.ready(),
    mail: createMailProbe(config),
  };
  let isStopping = false;
  const { missed, answered } = createMisses(log, () => isStopping);

  async function check(part: Checked): Promise<'ok' | 'down'> {
    const fault = await faultOf(asked[part]);
    if (fault === undefined) {
      answered(part);
      return 'ok';
    }
    partFailures.inc({ part });
    missed(part, fault);
    return 'down';
  }

  async function all(): Promise<Checks> {
    const [database, orchestration, store, mail] = await Promise.all(CHECKED.map(check));
    return {
      database: database ?? 'down',
      temporal: orchestration ?? 'down',
      storage: store ?? 'down',
      mail: mail ?? 'down',
    };
  }

  const look = patiently(all);
  const timer = setInterval(() => void look(), LOOK_MILLISECONDS).unref();
  return {
    look,
    stop() {
      isStopping = true;
      clearInterval(timer);
    },
    isStopping: () => isStopping,
  };
}

/** Says in the log when a part went and when it came again. */
function createMisses(log: Logger, isStopping: () => boolean) {
  const misses = new Map<Checked, { readonly since: number; readonly count: number }>();

  function missed(part: Checked, err: Error): void {
    const { since, count } = misses.get(part) ?? { since: performance.now(), count: 0 };
    misses.set(part, { since, count: count + 1 });
    if (count + 1 === MISSES && !isStopping())
      log.error({ alert: 'part_away', part, err }, 'a part does not answer');
  }

  function answered(part: Checked): void {
    const missing = misses.get(part);
    misses.delete(part);
    if (missing === undefined || missing.count < MISSES) return;
    const seconds = Math.round((performance.now() - missing.since) / 1_000);
    log.info({ part, seconds }, 'a part answers again');
  }

  return { missed, answered };
}

/** Looks again if the last look is old. Whoever asks while one takes long is told of the one before. */
function patiently(all: () => Promise<Checks>): () => Promise<Checks> {
  let known: Checks | undefined;
  let looking: Promise<Checks> | undefined;
  let lookedAt = -Infinity;
  async function look(): Promise<Checks> {
    lookedAt = performance.now();
    try {
      return (known = await all());
    } finally {
      looking = undefined;
    }
  }
  return async () => {
    const before = known;
    if (before !== undefined && looking === undefined && performance.now() - lookedAt <= FRESH_MILLISECONDS)
      return before;
    looking ??= look();
    return before === undefined ? looking : within(PATIENCE_MILLISECONDS, looking, () => before);
  };
}

/** Undefined if the part has answered in time. */
async function faultOf(ask: () => Promise<unknown>): Promise<Error | undefined> {
  const answered = ask().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error('it failed')),
  );
  const late = (): Error => new Error(`no answer within ${String(ANSWER_MILLISECONDS)} ms`);
  return within(ANSWER_MILLISECONDS, answered, late);
}
