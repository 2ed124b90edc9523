/** Whether a delivery is sent now, later or never: asked at the time of sending. */
import { nextDigest, type DigestTime } from './digest.ts';
import type { Category, Channel, DIGESTS } from './notifications.ts';
import { quietUntil, type QuietHours } from './quiet-hours.ts';

/** What decides on a delivery. */
export interface Deciding {
  readonly channel: Channel;
  readonly category: Category;
  readonly mandatory: boolean;
  readonly enabled: boolean;
  /** The event names the address: it is said there and nowhere else. */
  readonly addressed: boolean;
  /** The person has switched this channel off for this type. */
  readonly isUnwanted: boolean;
  /** Its announcement was stopped. */
  readonly isStopped: boolean;
  /** Of the person; null if there is none. */
  readonly status: string | null;
  readonly digest: (typeof DIGESTS)[number];
  /** With which digest it was to come; what has waited for one is told then. */
  readonly digestAt: Date | null;
  readonly expiresAt: Date;
  readonly digestHour: number | null;
  readonly digestWeekday: number | null;
  readonly quietStart: string | null;
  readonly quietEnd: string | null;
  readonly timeZone: string | null;
}

/** Why it is not sent, or null. `to` is its address on the channel, or null if there is none. */
export function reasonNotToSend(
  { channel, category, enabled, addressed, isUnwanted, isStopped, status }: Deciding,
  to: string | null,
): string | null {
  if (isStopped) return 'stopped';
  if (!enabled) return 'type_disabled';
  if (to === null) return 'no_address';
  // whoever may not log in is told of their login only
  if (status === 'blocked' && category !== 'security' && channel !== 'in_app') return 'blocked';
  return isUnwanted && !addressed ? 'preference' : null;
}

/** What decides when something is told. */
interface Timing {
  /** Whoever must know it is not made to wait. */
  readonly isUrgent: boolean;
  readonly digest: DigestTime | null;
  readonly quiet: QuietHours | null;
  readonly expiresAt: Date | null;
}

/**
 * When it is told: with the next digest, and after quiet hours; null if that would be too late. Nothing is too late for a digest: whoever
 * wants one a week wants all of the week in it.
 */
export function deliveryTime(at: Date, { isUrgent, digest, quiet, expiresAt }: Timing): Date | null {
  if (isUrgent) return at;
  const gathered = digest === null ? at : nextDigest(at, digest);
  const moment = (quiet === null ? null : quietUntil(gathered, quiet)) ?? gathered;
  const canExpire = digest === null && expiresAt !== null && moment.getTime() > at.getTime();
  return canExpire && moment >= expiresAt ? null : moment;
}

/** Longer than quiet hours, an outage of mail servers and a full mailbox usually last. */
const DIGEST_LATE_MILLISECONDS = 86_400_000;

/** What a delivery waits for. */
interface Waiting {
  /** Null if it would be too late then. */
  readonly until: Date | null;
  readonly reason: 'digest' | 'quiet_hours';
  /** What waits for a digest may be told for a day after it. */
  readonly expiresAt: Date;
}

/** When a delivery is sent, and why it waits; null if it is sent now. Mandatory types and the feed do not wait. */
export function waitFor(deciding: Deciding, now: Date, bankZone: string): Waiting | null {
  const { channel, mandatory, quietStart, quietEnd, timeZone, expiresAt } = deciding;
  const zone = timeZone ?? bankZone;
  const digest = digestTimeOf(deciding, zone);
  const quiet = quietStart === null || quietEnd === null ? null : { start: quietStart, end: quietEnd, zone };
  const isUrgent = mandatory || channel === 'in_app';
  const isGathered = digest !== null || deciding.digestAt !== null;
  const until = deliveryTime(now, { isUrgent, digest, quiet, expiresAt: isGathered ? null : expiresAt });
  if (until !== null && until <= now) return null;
  if (until === null || !isGathered) return { until, reason: 'quiet_hours', expiresAt };
  const latest = Math.max(expiresAt.getTime(), until.getTime() + DIGEST_LATE_MILLISECONDS);
  return { until, reason: 'digest', expiresAt: new Date(latest) };
}

/** Mail is gathered for a digest; what has waited for one is told with it. */
function digestTimeOf(
  { channel, addressed, digest, digestAt, digestHour, digestWeekday }: Deciding,
  zone: string,
): DigestTime | null {
  if (channel !== 'email' || addressed || digest === 'none' || digestAt !== null) return null;
  return { kind: digest, hour: digestHour ?? DIGEST_HOUR, weekday: digestWeekday, zone };
}

/** Of whoever has not said. */
const DIGEST_HOUR = 8;

const LONGEST_SECONDS = 900;

/** 1, 2, 4 … seconds, at most a quarter of an hour. */
export function retrySeconds(attempts: number): number {
  return Math.min(LONGEST_SECONDS, 2 ** Math.min(attempts - 1, 10));
}
