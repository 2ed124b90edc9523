/** Movements on Temporal's time-skipping server: the real workflows and activities; the rail is a port that the tests hold. */
import { expect } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { railActivities } from '../../../activities/rail.ts';
import { transferActivities } from '../../../activities/transfers.ts';
import { brokenChecks } from '../bank/proof.ts';
import { DecisionId, type TransferId } from '../../../domain/ids.ts';
import type { RailPayment, RailReport } from '../../../domain/transfers/rail.ts';
import { isRefusal } from '../../../domain/refusals.ts';
import {
  isOpen,
  type TransferOrder,
  type TransferState,
  type TransferStatus,
  type TransferStep,
} from '../../../domain/transfers/transfers.ts';
import { reportHandler } from '../../../workers/rail-round.ts';
import { amlCleared } from '../../../workflows/transfer/contract.ts';
import { decideOn, type Wish } from '../../../services/transfers/decisions.ts';
import { reported } from '../bank/decisions.ts';
import { beginMovement } from './begin-movement.ts';
import { untilShown } from './started.ts';
import { movementProcesses, transferProcess } from '../../../workflows/transfer/process.ts';
import type { Books } from '../bank/books.ts';
import { lookAt } from '../bank/movements.ts';
import type { Processes } from '../../../services/platform/processes.ts';
import { openProcessWorld, type ProcessWorld } from './process-world.ts';
import { until } from '../stack/processes.ts';

/** What a call to a process came to: where the transfer stands, 'ended', or the code of the refusal. */
export type Said = TransferState | string;

/** Something to be waited for until the test opens it. */
export interface Barrier {
  /** Whether somebody stands before it. */
  isWaitedFor(): boolean;
  pass(): Promise<void>;
  open(): void;
}

export interface MovementWorld extends Omit<ProcessWorld, 'shows'> {
  /** What the rail was given, in order. */
  readonly given: readonly TransferId[];
  /** Lines that operators are alerted by. */
  readonly alerts: readonly string[];
  /** The rail is away for so many attempts to give it this payment. */
  railAway(id: TransferId, attempts: number): void;
  /** The rail, and the worker's carrying out of a step, stand still for this transfer until the barrier opens. */
  railStands(id: TransferId): Barrier;
  stepsStand(id: TransferId): Barrier;
  /** From now on every step of this transfer fails in the database as such a statement does; null ends that. */
  stepsBreak(id: TransferId, statement: string | null): void;
  /** The same for failing it. */
  failingBreaks(id: TransferId, statement: string): void;
  /** For afterEach: what stands still also keeps the clock of all others from going on. */
  openBarriers(): void;
  run(order: TransferOrder): WorkflowHandle;
  /** Gives the order to the books; what must wait has a process then, which has looked at it once. */
  begin(order: TransferOrder): Promise<Said>;
  /** Decides, as the API would. */
  say(order: TransferOrder, wish: Omit<Wish, 'id'>): Promise<Said>;
  /** The word that the last flag of the paying account is cleared. */
  cleared(order: TransferOrder): Promise<Said>;
  /** What the rail says, brought as a worker would. */
  report(order: TransferOrder, kind: RailReport['kind'], messageId?: string): Promise<void>;
  becomes(order: TransferOrder, status: TransferStatus): Promise<void>;
  /** Waits until so many decisions of `say` were accepted; they are on their way to the run then. */
  accepts(order: TransferOrder, decisions: number): Promise<void>;
  /** Waits until the run has taken so many updates. */
  heard(order: TransferOrder, updates: number): Promise<void>;
  /** Waits until Temporal knows that the rail has the payment. */
  handedOver(order: TransferOrder): Promise<void>;
  /** Waits until operators see this status at the run. */
  shows(order: TransferOrder, status: string): Promise<void>;
  keep(order: TransferOrder, why: string): Promise<void>;
}

/** `close` proves the books. */
export async function openMovementWorld(books: Books): Promise<MovementWorld> {
  const given: TransferId[] = [];
  const away = new Map<TransferId, number>();
  const railBarriers = new Map<TransferId, Barrier>();
  const stepBarriers = new Map<TransferId, Barrier>();
  const broken = new Map<TransferId, string>();
  const unfailing = new Map<TransferId, string>();
  const run = async (statement: string | undefined) => {
    if (statement !== undefined) await books.em().getConnection().execute(statement);
  };
  const alerts: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void alerts.push(line) });
  const rail = {
    submit: async ({ transferId }: RailPayment) => {
      await railBarriers.get(transferId)?.pass();
      const attempts = away.get(transferId) ?? 0;
      away.set(transferId, attempts - 1);
      if (attempts > 0) throw new Error('the rail is away');
      given.push(transferId);
    },
  };
  const real = transferActivities({ em: books.em });
  const world = await openProcessWorld(
    {
      ...real,
      ...railActivities({ em: books.em, rail }),
      carryOutStep: async (id: TransferId, step: TransferStep) => {
        await stepBarriers.get(id)?.pass();
        await run(broken.get(id));
        return real.carryOutStep(id, step);
      },
      failTransfer: async (id: TransferId, step: TransferStep['source']) => {
        await run(unfailing.get(id));
        return real.failTransfer(id, step);
      },
    },
    books.em,
  );
  const { processes, env } = world;
  const handle = reportHandler({ processes, em: books.em, log });
  const processOf = ({ kind }: TransferOrder) => movementProcesses[kind];
  const workflowId = (order: TransferOrder) => processOf(order).workflowId(order.id);
  const brought: string[] = [];
  const bringing: Processes = {
    ...processes,
    bring: (told) => {
      brought.push(told.workflowId);
      return processes.bring(told);
    },
  };
  const code = (error: unknown): string => {
    if (isRefusal(error)) return error.code;
    throw error;
  };
  return {
    ...world,
    given,
    alerts,
    railAway: (id, attempts) => void away.set(id, attempts),
    railStands: (id) => barrierIn(railBarriers, id),
    stepsStand: (id) => barrierIn(stepBarriers, id),
    stepsBreak: (id, statement) => void (statement === null ? broken.delete(id) : broken.set(id, statement)),
    failingBreaks: (id, statement) => void unfailing.set(id, statement),
    openBarriers: () => {
      for (const barrier of [...railBarriers.values(), ...stepBarriers.values()]) barrier.open();
    },
    run: (order) => env.client.workflow.getHandle(workflowId(order)),
    begin: async (order) => {
      const begun = await beginMovement(books, processes, order);
      if (typeof begun !== 'string' && isOpen(begun.status))
        await untilShown(env.client.workflow.getHandle(workflowId(order)));
      return begun;
    },
    say: (order, wish) =>
      decideOn(order.id, { ...wish, id: DecisionId.parse(randomUUID()) }, books.em(), { processes: bringing })
        .then(({ status }) => ({ status }))
        .catch(code),
    cleared: async (order) => {
      const [flag] = await books.asOwner(
        'select id from account_aml_flags where account_id = $1 order by id desc limit 1',
        [order.source],
      );
      return processes
        .decide(transferProcess, order.id, amlCleared, { flag: String(flag?.['id']) })
        .catch(code);
    },
    report: async (order, kind, messageId = `test/${randomUUID()}`) => {
      const about = { messageId, transferId: order.id, at: new Date().toISOString() };
      const report =
        kind === 'rejected' || kind === 'returned' ? { ...about, kind, code: 'AC04' } : { ...about, kind };
      await reported(books, report);
      await handle(report);
    },
    becomes: (order, status) => until(async () => (await lookAt(books, order.id)).status === status),
    shows: (order, status) => world.shows(workflowId(order), status),
    accepts: (order, decisions) =>
      until(() => brought.filter((id) => id === workflowId(order)).length >= decisions),
    heard: (order, updates) =>
      until(async () => {
        const { events } = await env.client.workflow.getHandle(workflowId(order)).fetchHistory();
        const taken = (events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
        return taken.length >= updates;
      }),
    handedOver: (order) =>
      until(async () => {
        const { events } = await env.client.workflow.getHandle(workflowId(order)).fetchHistory();
        return (events ?? []).some((event) => event.activityTaskCompletedEventAttributes);
      }),
    keep: (order, why) => world.save(workflowId(order), order.kind, why),
    async close() {
      const broken = await brokenChecks(books.em());
      await world.close();
      expect(broken).toEqual([]);
    },
  };
}

function barrierIn(barriers: Map<TransferId, Barrier>, id: TransferId): Barrier {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waited = false;
  const barrier = {
    isWaitedFor: () => waited,
    pass: () => {
      waited = true;
      return promise;
    },
    open: resolve,
  };
  barriers.set(id, barrier);
  return barrier;
}
