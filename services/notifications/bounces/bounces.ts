/** Mail that a server refuses for good, or sends back: the address gets no more, and its owner is told in the app. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import type { Cipher } from '../../../adapters/cipher.ts';
import type { Inbox } from '../../../adapters/messages/inbound-mail.ts';
import { readDeliveryReport } from '../../../adapters/messages/delivery-report.ts';
import { newUuid } from '../../../adapters/new-id.ts';
import {
  bounceDelivery,
  emailOf,
  suppressAddress,
  type Unreachable,
} from '../../../db/queries/notifications/bounces.ts';
import { endDelivery, type ClaimedDelivery } from '../../../db/queries/notifications/deliveries.ts';
import { transaction } from '../../../db/transaction.ts';
import { maskedEmail } from '../../../domain/identity/personal-data.ts';
import { EventId } from '../../../domain/ids.ts';
import { bounceOf } from '../../../domain/notifications/bounces.ts';
import { notify } from '../events.ts';
import { bouncedDelivery } from './bounce-address.ts';

interface Deps {
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
  readonly log: Logger;
}

/** What arrives at the addresses that mail comes back to. */
export function bounceInbox({ em, cipher, log }: Deps): Inbox {
  return {
    takes: (localPart) => bouncedDelivery(cipher, localPart) !== undefined,
    async receive({ recipients, message }) {
      const report = await readDeliveryReport(message);
      const kind = report === undefined ? null : bounceOf(report);
      for (const recipient of recipients) {
        const id = bouncedDelivery(cipher, recipient);
        if (id === undefined || kind === null) continue;
        log.info({ deliveryId: id, kind, status: report?.status }, 'a mail came back');
        await transaction(em(), async (tx) =>
          tellOwner(tx, cipher, await bounceDelivery.first(tx, { id, kind })),
        );
      }
    },
  };
}

/** Ends a delivery whose address the mail server does not know. */
export async function endUnreachable(
  { em, cipher, log }: Deps,
  { id, claim, typeCode, channel }: Pick<ClaimedDelivery, 'id' | 'claim' | 'typeCode' | 'channel'>,
): Promise<void> {
  await transaction(em(), async (tx) => {
    const end = { id, claim, status: 'failed', reason: 'refused', providerId: null } as const;
    const { ended } = await endDelivery.one(tx, end);
    if (ended) await tellOwner(tx, cipher, await suppressAddress.first(tx, { id, reason: 'refused' }));
  });
  const ended = { deliveryId: id, type: typeCode, channel, status: 'failed', reason: 'refused' };
  log.info(ended, 'a delivery has ended: there is no such address');
}

async function tellOwner(tx: EntityManager, cipher: Cipher, owner: Unreachable | undefined): Promise<void> {
  if (owner === undefined) return;
  const { owner: userId, readerLocale: locale } = owner;
  const { email } = await emailOf.one(tx, { id: userId });
  const eventId = EventId.parse(newUuid());
  const values = { address: maskedEmail(email) };
  await notify(tx, cipher, { eventId, userId, type: 'mail_undeliverable', locale, values });
}
