/** One delivery, from its claim to its end. What decides on it is asked now, not when the event happened. */
import { OutcomeUnknown, RecipientRefused, type Mail, type Sms } from '../../../adapters/mail.ts';
import {
  claimedTogether,
  gatherDigest,
  holdDelivery,
  putOffDelivery,
  type ClaimedDelivery,
} from '../../../db/queries/notifications/deliveries.ts';
import type { Config } from '../../../config.ts';
import { sqlStateOf } from '../../../db/sql-state.ts';
import { digestOf } from '../../../domain/notifications/digest.ts';
import { languageOf } from '../../../domain/notifications/messages.ts';
import type { DeliveryStatus } from '../../../domain/notifications/notifications.ts';
import { reasonNotToSend, retrySeconds, waitFor } from '../../../domain/notifications/sending.ts';
import { now } from '../../../domain/time/now.ts';
import { bounceAddress } from '../bounces/bounce-address.ts';
import { endUnreachable } from '../bounces/bounces.ts';
import { mailHtml } from '../texts/layout.ts';
import type { FindText, Rendered } from '../texts/rendering.ts';
import { smsRefusal, type SmsCaps } from './sms-cost.ts';
import type { Outcomes } from './outcomes.ts';
import { unsubscribeAddress } from '../unsubscribing.ts';
import { pushToAll, type PushDeps, type PushResult } from './push.ts';
import type { EventContent } from '../events.ts';
import { contentOf, textOf, type ReadingDeps } from './reading.ts';

/** As long as mail servers are waited for. */
const GATHERED_SECONDS = 120;

export interface SendingDeps extends ReadingDeps, PushDeps {
  readonly config: ReadingDeps['config'] & SmsCaps & Pick<Config, 'REPLY_DOMAIN'>;
  readonly mail: Mail;
  readonly sms: Sms;
}

/** What the deliveries of a round share. */
export interface Round extends SendingDeps {
  readonly find: FindText;
  readonly outcomes: Outcomes;
}

type End = (status: DeliveryStatus, reason: string | null, providerId?: string) => Promise<void>;

/** What has begun and is given to a provider. */
interface Begun {
  readonly delivery: ClaimedDelivery;
  readonly end: End;
  readonly to: string;
  readonly text: Rendered;
}

/** Ends a delivery, or puts it off, with all others of the same digest. Throws only if the database is away: its lease then ends by itself. */
export async function deliver(deps: Round, delivery: ClaimedDelivery): Promise<void> {
  const together = delivery.digestAt === null ? [delivery] : await gathered(deps, delivery);
  const begun: Begun[] = [];
  for (const each of together) {
    const end = endOf(deps, each);
    try {
      const one = await begin(deps, each, end);
      if (one !== undefined) begun.push({ ...one, delivery: each, end });
    } catch (error) {
      await setAside(deps, each, end, error);
    }
  }
  // outside: an error after it was sent must not put it off
  const [first, ...others] = begun;
  if (first !== undefined) await send(deps, [first, ...others]);
}

function endOf({ outcomes, log }: Round, delivery: ClaimedDelivery): End {
  const { id, channel, typeCode } = delivery;
  return async (status, reason, providerId) => {
    await outcomes.end(delivery, { status, reason, providerId: providerId ?? null });
    if (status !== 'sent')
      log.info({ deliveryId: id, type: typeCode, channel, status, reason }, 'a delivery has ended');
  };
}

/** All mails of the digest, in the order of their events; none if another worker gathers them. */
async function gathered({ em }: Round, { id, claim }: ClaimedDelivery): Promise<ClaimedDelivery[]> {
  const ids = (await gatherDigest.all(em(), { id, claim, leaseSeconds: GATHERED_SECONDS })).map(
    (each) => each.id,
  );
  return claimedTogether.all(em(), { ids, claim });
}

/** All before it is given to a provider; undefined if nothing is. */
async function begin(
  deps: Round,
  delivery: ClaimedDelivery,
  end: End,
): Promise<Pick<Begun, 'to' | 'text'> | undefined> {
  const { em, outcomes } = deps;
  const { id, claim, channel } = delivery;
  const over = async (status: DeliveryStatus, reason: string): Promise<undefined> =>
    void (await end(status, reason));
  if (delivery.isLate) return over('expired', 'too_late');
  const content = await contentOf(deps, delivery);
  // another worker may have the key, and this one may get it
  if (content === 'key_missing') return putOff(deps, delivery, content);
  if (content === 'unreadable') return over('failed', content);
  const to = addressOf(delivery, content.to);
  const refused = reasonNotToSend(delivery, to);
  if (refused !== null) return over('suppressed', refused);
  const wait = waitFor(delivery, now(), deps.config.BANK_TIME_ZONE);
  if (wait !== null) {
    const { until, reason, expiresAt } = wait;
    if (until === null) return over('expired', reason);
    await holdDelivery.run(em(), { id, claim, until, reason, expiresAt, isDigest: reason === 'digest' });
    return undefined;
  }
  const text = await textOf(deps, deps.find, delivery, content.values);
  if (typeof text === 'string') return over('failed', text);
  if (channel === 'in_app') {
    await outcomes.show(delivery, { title: text.subject ?? '', body: text.body });
    return undefined;
  }
  const address = to ?? '';
  if (channel === 'sms') {
    const costly = await smsRefusal(deps, delivery, address, text.body);
    if (costly !== null) return over('suppressed', costly);
  }
  const isBegun = await outcomes.begin(delivery, address);
  // or whoever claimed it since sends it, and this word counts for nothing
  return isBegun ? { to: address, text } : over('suppressed', 'bounced');
}

/** In the feed and for push messages it is the person. */
function addressOf(
  { channel, email, phone, userId }: ClaimedDelivery,
  to: EventContent['to'],
): string | null {
  switch (channel) {
    case 'email':
      return to.email ?? email;
    case 'sms':
      return to.sms ?? phone;
    case 'in_app':
    case 'push':
      return userId;
  }
}

/** Data that the database does not take (classes 22 and 23) stays what it is; all else may pass. */
async function setAside(deps: Round, delivery: ClaimedDelivery, end: End, error: unknown): Promise<void> {
  const { log } = deps;
  const { id, channel, typeCode, attempts } = delivery;
  const fault = { err: error, deliveryId: id, type: typeCode, channel, attempts };
  if (/^2[23]/.test(sqlStateOf(error) ?? '')) {
    log.error(fault, 'a delivery cannot be shown');
    return end('failed', 'unshowable');
  }
  log.warn(fault, 'a delivery failed before it was sent and will be retried');
  await putOff(deps, delivery, 'fault');
}

/** The recipient does not have it: it is tried again, later with each attempt unless it is said when. */
async function putOff(
  { em }: SendingDeps,
  { id, claim, attempts }: ClaimedDelivery,
  reason: string,
  seconds = retrySeconds(attempts),
): Promise<undefined> {
  await putOffDelivery.one(em(), { id, claim, seconds, reason });
}

/** Once it was given to the provider, only a clear no lets it be sent again. Several are one mail. */
async function send(deps: Round, begun: readonly [Begun, ...Begun[]]): Promise<void> {
  const [{ delivery, to, text }] = begun;
  const { id, channel, typeCode, attempts, userId } = delivery;
  const end: End = async (...how) => {
    for (const each of begun) await each.end(...how);
  };
  if (channel === 'push' && userId !== null)
    return endPush(deps, delivery, await pushToAll(deps, { ...delivery, userId }, text), end);
  try {
    if (channel === 'email') await deps.mail.send(letterOf(deps, begun), id);
    else await deps.sms.send({ to, text: text.body }, id);
  } catch (error) {
    // its owner is told once
    if (error instanceof RecipientRefused && error.isAddress && channel === 'email')
      await endUnreachable(deps, delivery);
    // which has no effect on what has ended
    if (error instanceof RecipientRefused) return end('failed', 'refused');
    if (error instanceof OutcomeUnknown) return end('unknown', 'no_answer');
    deps.log.warn(
      { err: error, deliveryId: id, type: typeCode, channel, attempts },
      'a delivery failed and will be retried',
    );
    const seconds = retrySeconds(attempts);
    for (const each of begun) await putOff(deps, each.delivery, 'provider_away', seconds);
    return;
  }
  await end('sent', null, id);
}

/** One mail, or the digest of several. */
function letterOf(deps: Round, begun: readonly [Begun, ...Begun[]]) {
  const [{ delivery, to, text }] = begun;
  const { locale } = text;
  const isOne = begun.length === 1;
  const { subject, body } = isOne
    ? text
    : digestOf(
        begun.map((each) => each.text),
        languageOf(locale),
      );
  const html = mailHtml({ subject: subject ?? '', body, locale, bank: deps.config.BANK_NAME });
  const unsubscribe = unsubscribeAddress(
    deps,
    begun.map((each) => each.delivery),
  );
  const { REPLY_DOMAIN: domain } = deps.config;
  const returnTo = domain === undefined ? {} : { returnTo: bounceAddress(deps.cipher, delivery.id, domain) };
  return { to, subject: subject ?? '', text: body, html, unsubscribe, ...returnTo };
}

function endPush(
  deps: SendingDeps,
  delivery: ClaimedDelivery,
  result: PushResult,
  end: End,
): Promise<void | undefined> {
  if (result === 'sent') return end('sent', null, delivery.id);
  if (result === 'no_answer') return end('unknown', 'no_answer');
  if (result === 'no_address') return end('suppressed', 'no_address');
  return putOff(
    deps,
    delivery,
    'provider_away',
    Math.max(result.afterSeconds, retrySeconds(delivery.attempts)),
  );
}
