/** What text messages may cost: so much a number and day, so much the whole bank, and nothing to numbers that earn by being called. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { smsRefused, type SMS_REFUSALS } from '../../../adapters/metrics.ts';
import type { Config } from '../../../config.ts';
import { takeSms, type ClaimedDelivery } from '../../../db/queries/notifications/deliveries.ts';
import { isCostlyNumber } from '../../../domain/identity/contact.ts';
import { smsSize } from '../../../domain/notifications/sms.ts';

export type SmsCaps = Pick<Config, 'SMS_PARTS_OF_PERSON' | 'SMS_PARTS_OF_BANK'>;

interface Deps {
  readonly em: () => EntityManager;
  readonly config: SmsCaps;
  readonly log: Logger;
}

/** Why a text message is not sent, or null; it then counts as sent. A second attempt counts again, because the first may have cost. */
export async function smsRefusal(
  { em, config, log }: Deps,
  { id, lane, typeCode }: Pick<ClaimedDelivery, 'id' | 'lane' | 'typeCode'>,
  to: string,
  text: string,
): Promise<(typeof SMS_REFUSALS)[number] | null> {
  const asked = {
    recipient: to,
    parts: smsSize(text).segments,
    isCode: lane === 'codes',
    mostOfPerson: config.SMS_PARTS_OF_PERSON,
    mostOfBank: config.SMS_PARTS_OF_BANK,
  };
  const because = isCostlyNumber(to) ? 'costly_number' : (await takeSms.one(em(), asked)).refusal;
  if (because === null) return null;
  smsRefused.inc({ because });
  const about = { deliveryId: id, type: typeCode, because };
  if (because === 'sms_cap_of_bank')
    log.error({ ...about, alert: 'sms_cap_reached' }, 'the bank has sent as many text messages as it may');
  else log.warn(about, 'a text message was not sent because of what it costs');
  return because;
}
