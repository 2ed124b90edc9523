/** Templates: checked before they are saved, kept in versions, tried out on oneself. */
import type { Cipher } from '../../adapters/cipher.ts';
import { localeOf } from '../../db/queries/notifications/preferences.ts';
import { record } from '../../db/queries/platform/audit.ts';
import {
  insertTemplate,
  othersLive,
  templateById,
  templateVersion,
  updateTemplate,
  type NotificationTemplateRow,
} from '../../db/queries/notifications/templates.ts';
import { lockType } from '../../db/queries/notifications/types.ts';
import type { Person } from '../../domain/actor.ts';
import type { EventId, NotificationTemplateId } from '../../domain/ids.ts';
import { smsSize, type SmsSize } from '../../domain/notifications/sms.ts';
import type { Channel, TemplateStatus } from '../../domain/notifications/notifications.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';
import type { Services } from '../services.ts';
import { tell } from './events.ts';
import { faultsOf, samplesOf, type CheckedText } from './texts/checks.ts';
import { fill, filledOrFault } from './texts/liquid.ts';
import { carried } from './texts/rendering.ts';

export interface TemplateCall extends Call<'conflict' | 'notification_mandatory'> {
  readonly actor: Person;
}

export interface NewTemplate extends CheckedText {
  readonly typeCode: string;
  readonly status: TemplateStatus;
}

/** A template and, if it is a text message, what it becomes with the samples of its variables. */
export type TemplateShown = NotificationTemplateRow & { readonly sms: SmsSize | null };

export async function createTemplate(
  call: TemplateCall,
  services: Pick<Services, 'config'>,
  id: NotificationTemplateId,
  template: NewTemplate,
): Promise<TemplateShown> {
  const { db, actor, refusal } = call;
  await requireGood(call, services, template);
  if ((await insertTemplate.run(db, { ...template, id, updatedBy: actor.id })) === 0)
    throw refusal('conflict', { detail: LIVE_ALREADY });
  return shownTemplate(await noted(call, 'created', id, undefined));
}

/** What changes is the text or the status; the rest is what the template is. */
export async function changeTemplate(
  call: TemplateCall,
  services: Pick<Services, 'config'>,
  id: NotificationTemplateId,
  change: Partial<Pick<NewTemplate, 'subject' | 'body' | 'status'>>,
  action: 'updated' | 'deleted' | 'rolled_back' = 'updated',
): Promise<TemplateShown> {
  const { db, actor, refusal } = call;
  const { typeCode } = found(await templateById.first(db, { id }));
  // one change of the texts of a type after the other
  const type = found(await lockType.first(db, { code: typeCode }));
  const before = await templateById.one(db, { id });
  const after = { ...before, ...change };
  if (after.status !== 'retired') await requireGood(call, services, after);
  const others = await othersLive.one(db, { id });
  if (after.status === 'live' && others.inLocale) throw refusal('conflict', { detail: LIVE_ALREADY });
  const goes = before.status === 'live' && after.status !== 'live';
  if (goes && type.mandatory && type.enabled && !others.onChannel) throw refusal('notification_mandatory');
  const { subject, body, status } = after;
  await updateTemplate.run(db, { id, subject, body, status, updatedBy: actor.id });
  return shownTemplate(await noted(call, action, id, before));
}

/** Says again what an earlier version said, as the next version. */
export async function rollBack(
  call: TemplateCall,
  services: Pick<Services, 'config'>,
  id: NotificationTemplateId,
  version: number,
): Promise<TemplateShown> {
  const { subject, body } = found(await templateVersion.first(call.db, { id, version }));
  return changeTemplate(call, services, id, { subject, body }, 'rolled_back');
}

export function shownTemplate(row: NotificationTemplateRow): TemplateShown {
  return { ...row, sms: row.channel === 'sms' ? sizeWithSamples(row) : null };
}

/** Null if the type no longer has what the text says: a list shows it all the same. */
function sizeWithSamples({ channel, variables, locale, body }: NotificationTemplateRow): SmsSize | null {
  const filled = filledOrFault(body, samplesOf(variables, locale), locale);
  return typeof filled === 'string' ? smsSize(carried(channel, filled)) : null;
}

/** The text with the samples of its variables. */
export function preview({ channel, variables, locale, subject, body }: NotificationTemplateRow): {
  readonly subject: string | null;
  readonly body: string;
} {
  const scope = samplesOf(variables, locale);
  return {
    subject: subject === null ? null : fill(subject, scope, locale),
    body: carried(channel, fill(body, scope, locale)),
  };
}

/** Sends the text with its samples to whoever asks, and to nobody else. */
export async function testSend(
  { db, actor }: Pick<TemplateCall, 'db' | 'actor'>,
  { cipher }: { readonly cipher: Cipher },
  eventId: EventId,
  id: NotificationTemplateId,
): Promise<void> {
  const template = found(await templateById.first(db, { id }));
  const { subject, body } = preview(template);
  const { locale } = await localeOf.one(db, { userId: actor.id });
  const values = { title: subject ?? template.typeCode, body };
  const to = { userId: actor.id, type: 'admin_message', locale, channels: ['email'] } as const;
  await tell(db, cipher, { ...to, eventId, values });
  await record(db, actor, { action: 'notification_template.tried', subject: ['notification_template', id] });
}

const LIVE_ALREADY = 'Another template of this type, channel and language is live.';

async function requireGood(
  { db, refusal }: TemplateCall,
  { config }: Pick<Services, 'config'>,
  template: Omit<NewTemplate, 'status'>,
): Promise<void> {
  const { typeCode, channel, subject } = template;
  // nobody takes a variable from the type while a text that says it is saved
  const type = await lockType.first(db, { code: typeCode });
  if (type === undefined) throw faultIn('/type_code', 'not_found', 'is not a type of notifications');
  requireChannel(type.channelsAllowed, channel);
  if (channel === 'sms' && subject !== null)
    throw faultIn('/subject', 'not_offered', 'a text message has no subject');
  if (channel !== 'sms' && subject === null) throw faultIn('/subject', 'required', 'is required');
  // a payer must be told what a code confirms
  const mustSay = type.lane === 'codes' ? type.variables.filter(({ personal }) => personal) : [];
  const errors = faultsOf(template, type.variables, { mustSay, publicUrl: config.publicUrl });
  if (errors.length > 0) throw refusal('invalid_request', { errors });
}

function requireChannel(allowed: readonly Channel[], channel: Channel): void {
  if (!allowed.includes(channel)) throw faultIn('/channel', 'not_offered', 'is not a channel of this type');
}

async function noted(
  { db, actor }: TemplateCall,
  what: string,
  id: NotificationTemplateId,
  before: NotificationTemplateRow | undefined,
): Promise<NotificationTemplateRow> {
  const after = await templateById.one(db, { id });
  const told = ({ version, status, subject, body }: NotificationTemplateRow) => ({
    version,
    status,
    subject,
    body,
  });
  await record(db, actor, {
    action: `notification_template.${what}`,
    subject: ['notification_template', id],
    before: before && told(before),
    after: { type: after.typeCode, channel: after.channel, locale: after.locale, ...told(after) },
  });
  return after;
}
