/** Quiet hours: from one time of day to another in the zone of a person, over midnight and over days on which clocks are changed. */

export interface QuietHours {
  /** `22:00` or `22:00:00`; quiet from then on. */
  readonly start: string;
  /** Not quiet any more. */
  readonly end: string;
  /** IANA. */
  readonly zone: string;
}

const MINUTES_A_DAY = 1_440;
const MINUTE_MILLISECONDS = 60_000;

/** More than clocks are ever changed by at once. */
const CHANGE_MINUTES = 120;

/**
 * The first whole minute at which local clocks show a time outside the quiet hours that hold now; null if none hold. So an end that
 * clocks skip has come once they show a later time, and of one that they show twice the first counts.
 */
export function quietUntil(now: Date, { start, end, zone }: QuietHours): Date | null {
  const [from, to] = [minutesOf(start), minutesOf(end)];
  const clock = clockIn(zone);
  const isQuiet = (moment: number): boolean => {
    const shown = clock(moment);
    return from < to ? shown >= from && shown < to : shown >= from || shown < to;
  };
  if (!isQuiet(now.getTime())) return null;
  let moment = Math.floor(now.getTime() / MINUTE_MILLISECONDS) * MINUTE_MILLISECONDS;
  const left = (to - clock(moment) + MINUTES_A_DAY) % MINUTES_A_DAY;
  moment += Math.max(0, left - CHANGE_MINUTES) * MINUTE_MILLISECONDS;
  while (isQuiet(moment)) moment += MINUTE_MILLISECONDS;
  return new Date(moment);
}

function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Minutes since midnight that clocks in a zone show at a moment. */
function clockIn(zone: string): (moment: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (moment) => minutesOf(format.format(moment));
}
