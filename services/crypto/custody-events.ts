/**
 * The inbox of the custodian's webhooks: what it has signed is kept before anybody looks at it. The custodian never repeats what was
 * taken, so nothing that it tells is turned away here.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { keepCustodyEvent } from '../../db/queries/crypto/custody-events.ts';
import type { Services } from '../services.ts';

/** What can be read of an event; null is what it does not say, or not in a usable form. */
export interface EventParts {
  readonly id: string | null;
  readonly type: string | null;
  /** The custodian's id of the transaction or vault that it is about. */
  readonly resource: string | null;
}

type Log = Pick<Services, 'log'>;

/** Keeps an event. Returns false if it was known. */
export function keepEvent(
  db: EntityManager,
  body: Buffer,
  { id, type, resource }: EventParts,
  services: Log,
): Promise<boolean> {
  const needsResource = type?.startsWith('transaction.') === true;
  const flaw = type === null ? 'no_type' : needsResource && resource === null ? 'no_resource' : null;
  return keep(db, { custodyId: id, type, resource, body, flaw }, services);
}

/** Keeps what cannot be read; `flaw` says why not. Returns false if it was known. */
export function keepUnreadable(
  db: EntityManager,
  body: Buffer,
  flaw: string,
  services: Log,
): Promise<boolean> {
  return keep(db, { custodyId: null, type: null, resource: null, body, flaw }, services);
}

async function keep(
  db: EntityManager,
  kept: Parameters<typeof keepCustodyEvent.one>[1],
  { log }: Log,
): Promise<boolean> {
  const { event, isNew } = await keepCustodyEvent.one(db, kept);
  if (isNew && kept.flaw !== null)
    log.error(
      { alert: 'custody_event_unreadable', event, fault: kept.flaw },
      'what the custodian has told cannot be read',
    );
  return isNew;
}
