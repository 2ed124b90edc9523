/** What a delivery says: the content of its event, and the text made of it. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { KeyMissing, type Cipher } from '../../../adapters/cipher.ts';
import { translationsMissing } from '../../../adapters/metrics.ts';
import type { ClaimedDelivery } from '../../../db/queries/notifications/deliveries.ts';
import { languageIn } from '../../../domain/notifications/notifications.ts';
import { openContent, type EventContent } from '../events.ts';
import { rendered, type FindText, type Rendered, type Speaker } from '../texts/rendering.ts';
import { valuesOfSubject } from './subjects.ts';

/** As many characters as a row of the feed holds. */
const LONGEST_TITLE = 300;

export interface ReadingDeps {
  readonly em: () => EntityManager;
  readonly cipher: Cipher;
  readonly config: Speaker;
  readonly log: Logger;
}

/** What the event holds or its row says, or why that cannot be read. With a broken seal no retry would help. */
export async function contentOf(
  { em, cipher, config, log }: ReadingDeps,
  { id, eventId, typeCode, userId, subject, state, sealedContent }: ClaimedDelivery,
): Promise<EventContent | 'unreadable' | 'key_missing'> {
  if (sealedContent === null) {
    if (subject === null || userId === null) return 'unreadable';
    const values = await valuesOfSubject(em(), typeCode, { subject, userId, state }, config);
    return values === undefined ? 'unreadable' : { to: {}, values };
  }
  try {
    return openContent(cipher, eventId, sealedContent);
  } catch (err) {
    log.error(
      { err, deliveryId: id, alert: 'delivery_unreadable' },
      'the content of an event cannot be opened',
    );
    return err instanceof KeyMissing ? 'key_missing' : 'unreadable';
  }
}

/** The text, or why there is none. */
export async function textOf(
  { config, log }: ReadingDeps,
  find: FindText,
  delivery: ClaimedDelivery,
  values: Readonly<Record<string, string>>,
): Promise<Rendered | 'no_template' | 'template_failed'> {
  try {
    const text = await rendered(find, config, { ...delivery, values });
    if (text !== undefined) {
      noteLanguage(log, delivery, text);
      return { ...text, subject: titleOf(text, delivery) };
    }
    const { id, typeCode, channel } = delivery;
    log.error({ deliveryId: id, type: typeCode, channel, alert: 'no_template' }, 'a type has no live text');
    return 'no_template';
  } catch (err) {
    if (!isLiquidError(err)) throw err;
    const { id, typeCode, channel } = delivery;
    // its message names variables and no values
    const fault = { deliveryId: id, type: typeCode, channel, fault: err.message };
    log.error({ ...fault, alert: 'template_failed' }, 'a text could not be filled');
    return 'template_failed';
  }
}

/** Which texts this process has missed in which language. */
const missed = new LRUCache<string, true>({ max: 1_000 });

/** Counts what is told in another language than the reader's; the log says it once. */
function noteLanguage(log: Logger, { typeCode, channel, locale }: ClaimedDelivery, text: Rendered): void {
  const language = languageIn(locale);
  if (languageIn(text.locale) === language) return;
  translationsMissing.inc({ type: typeCode, channel });
  const key = `${typeCode} ${channel} ${language}`;
  if (missed.has(key)) return;
  missed.set(key, true);
  log.warn(
    { type: typeCode, channel, language, told: text.locale },
    'a text does not exist in this language',
  );
}

/** Values may make it too long, or leave nothing of it. */
function titleOf({ subject }: Rendered, { typeName }: ClaimedDelivery): string | null {
  if (subject === null) return null;
  return [...subject].slice(0, LONGEST_TITLE).join('').trim() || typeName;
}

const isLiquidError = (error: unknown): error is Error =>
  error instanceof Error &&
  ['ParseError', 'RenderError', 'TokenizationError', 'UndefinedVariableError', 'AssertionError'].includes(
    error.name,
  );
