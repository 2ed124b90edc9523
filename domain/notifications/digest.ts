/** When digests come: at a full hour of local clocks, or at one of each day or of one day of the week, over days on which clocks are changed. */

/** When somebody wants them. */
export interface DigestTime {
  readonly kind: 'hourly' | 'daily';
  /** Of a daily one. */
  readonly hour: number;
  /** ISO: 1 is Monday; null is every day. */
  readonly weekday: number | null;
  /** IANA. */
  readonly zone: string;
}

const MINUTE_MILLISECONDS = 60_000;
const MINUTES_A_DAY = 1_440;
/** More than clocks are ever changed by at once. */
const CHANGE_MINUTES = 120;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * The first whole minute after a moment at which local clocks come to the hour: also if they skip it, and once if they show it twice.
 */
export function nextDigest(after: Date, { kind, hour, weekday, zone }: DigestTime): Date {
  const clock = clockIn(zone);
  let moment = (Math.floor(after.getTime() / MINUTE_MILLISECONDS) + 1) * MINUTE_MILLISECONDS;
  if (kind === 'hourly') {
    while (clock(moment).minutes % 60 !== 0) moment += MINUTE_MILLISECONDS;
    return new Date(moment);
  }
  const isTime = (at: number): boolean => {
    const [shown, before] = [clock(at), clock(at - MINUTE_MILLISECONDS)];
    return shown.minutes >= hour * 60 && (before.day !== shown.day || before.minutes < hour * 60);
  };
  for (;;) {
    const left = (hour * 60 - clock(moment).minutes + MINUTES_A_DAY) % MINUTES_A_DAY;
    moment += Math.max(0, left - CHANGE_MINUTES) * MINUTE_MILLISECONDS;
    while (!isTime(moment)) moment += MINUTE_MILLISECONDS;
    if (weekday === null || clock(moment).weekday === weekday) return new Date(moment);
    moment += MINUTE_MILLISECONDS;
  }
}

interface Shown {
  /** Since midnight. */
  readonly minutes: number;
  /** Of the month. */
  readonly day: string;
  readonly weekday: number;
}

/** What clocks and calendars of a zone show. */
function clockIn(zone: string): (moment: number) => Shown {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit', day: '2-digit' },
    weekday: 'short',
  });
  return (moment) => {
    const shown = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    return {
      minutes: Number(shown.get('hour')) * 60 + Number(shown.get('minute')),
      day: shown.get('day') ?? '',
      weekday: WEEKDAYS.indexOf(shown.get('weekday') ?? '') + 1,
    };
  };
}

const SUBJECTS = {
  en: (count: number) => `${String(count)} messages of your bank`,
  de: (count: number) => `${String(count)} Nachrichten Ihrer Bank`,
} as const;

/** One mail that says what several would have said, in their order. */
export function digestOf(
  parts: readonly { readonly subject: string | null; readonly body: string }[],
  language: keyof typeof SUBJECTS,
): { readonly subject: string; readonly body: string } {
  const said = parts.map(({ subject, body }) => `${subject ?? ''}\n${body.trim()}`.trim());
  return { subject: SUBJECTS[language](parts.length), body: `${said.join('\n\n')}\n` };
}
