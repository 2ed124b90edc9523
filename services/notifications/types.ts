/** What people can be told, as the back office decides it. */
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { liveTextsOf } from '../../db/queries/notifications/texts.ts';
import { record } from '../../db/queries/platform/audit.ts';
import {
  insertType,
  lockType,
  notificationType,
  updateType,
  type NotificationTypeRow,
  type NotificationTypeSettings,
} from '../../db/queries/notifications/types.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import { CHANNELS_OF_SECRETS, isSecret, type Variable } from '../../domain/notifications/notifications.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import type { Call } from '../callers.ts';
import { namesIn } from './texts/liquid.ts';

type TypeCall = Call<'conflict' | 'notification_mandatory'>;

/** Adds a type. It reaches everybody by its defaults at once. */
export async function createNotificationType(
  call: TypeCall,
  type: NotificationTypeSettings & { readonly code: string },
): Promise<NotificationTypeRow> {
  requireSense(type);
  if ((await insertType.run(call.db, type)) === 0)
    throw call.refusal('conflict', { detail: 'The code is taken by another type.' });
  const made = await notificationType.one(call.db, { code: type.code });
  await note(call, 'created', undefined, made);
  return made;
}

/** Changes a type; what was written before goes out by the type as it is then. */
export async function changeNotificationType(
  call: TypeCall,
  code: string,
  change: Partial<NotificationTypeSettings>,
): Promise<NotificationTypeRow> {
  const { db, refusal } = call;
  const before = found(await lockType.first(db, { code }));
  const { lane, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = before;
  const after = { ...settings, ...change };
  requireSense(after);
  // what the bank says of a login stays what nobody can send by hand
  if (before.category === 'security' && after.category !== 'security')
    throw refusal('notification_mandatory');
  if (before.mandatory && before.enabled) {
    const lost = before.channelsDefault.filter((channel) => !after.channelsAllowed.includes(channel));
    const keepsOne = before.channelsDefault.some((channel) => channel !== 'push' && !lost.includes(channel));
    if (!after.enabled || !after.mandatory || !keepsOne || (lane === 'codes' && lost.length > 0))
      throw refusal('notification_mandatory');
  }
  requireEditable(before, after);
  await requireSaid(db, code, after.variables);
  await updateType.run(db, after);
  const changed = await notificationType.one(db, { code });
  await note(call, 'updated', before, changed);
  return changed;
}

const VARIABLES = ['variables', 'variables'] as const;
/** All but the name, each with how a request names it. */
const SETTINGS = [
  ['category', 'category'],
  ['mandatory', 'mandatory'],
  ['channelsAllowed', 'channels_allowed'],
  ['channelsDefault', 'channels_default'],
  ['digest', 'digest'],
  ['collapseKey', 'collapse_key'],
  ['ttlSeconds', 'ttl'],
  VARIABLES,
  ['enabled', 'enabled'],
] as const;

/** Of a code only the name changes, and of what concerns a login never what it tells: the release that writes it says so. */
function requireEditable(before: NotificationTypeRow, after: NotificationTypeSettings): void {
  const fixed = before.lane === 'codes' ? SETTINGS : before.category === 'security' ? [VARIABLES] : [];
  for (const [setting, field] of fixed)
    if (!isDeepStrictEqual(before[setting], after[setting]))
      throw faultIn(`/${field}`, 'not_editable', 'cannot be changed for this type');
}

/** A variable that a live text says stays: without it nobody would be told. */
async function requireSaid(db: EntityManager, code: string, variables: readonly Variable[]): Promise<void> {
  const names = new Set(variables.map(({ name }) => name));
  for (const { subject, body } of await liveTextsOf.all(db, { typeCode: code }))
    for (const { name } of namesIn(`${subject ?? ''}\n${body}`).names)
      if (name !== null && !name.includes('.') && !names.has(name))
        throw faultIn('/variables', 'in_use', `must keep ${name}, because a live template says it`);
}

function requireSense(type: NotificationTypeSettings): void {
  const { category, channelsAllowed, channelsDefault, mandatory, variables } = type;
  if (channelsDefault.some((channel) => !channelsAllowed.includes(channel)))
    throw faultIn('/channels_default', 'not_allowed', 'must be among the allowed channels');
  if (category === 'security' && !mandatory)
    throw faultIn('/mandatory', 'mandatory', 'must be true, because the type concerns a login');
  if (mandatory && channelsDefault.length === 0)
    throw faultIn('/channels_default', 'mandatory', 'must not be empty, because the type is mandatory');
  if (variables.some(({ name }) => isSecret(name)))
    for (const channel of channelsAllowed)
      if (!CHANNELS_OF_SECRETS.includes(channel))
        throw faultIn(
          '/channels_allowed',
          'not_allowed',
          `must not hold ${channel}: the type tells a secret`,
        );
  const names = variables.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw faultIn('/variables', 'repeated', 'must name each variable once');
}

async function note(
  { db, actor }: TypeCall,
  what: 'created' | 'updated',
  before: NotificationTypeRow | undefined,
  after: NotificationTypeRow,
): Promise<void> {
  await record(db, actor, {
    action: `notification_type.${what}`,
    subject: ['notification_type', after.code],
    before: before && told(before),
    after: told(after),
  });
}

function told({
  name,
  category,
  mandatory,
  channelsAllowed,
  channelsDefault,
  ttlSeconds,
  enabled,
}: NotificationTypeRow): AuditState {
  return {
    ...{ name, category, mandatory, enabled },
    channels_allowed: channelsAllowed,
    channels_default: channelsDefault,
    ttl_seconds: ttlSeconds,
  };
}
