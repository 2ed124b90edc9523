/** Durations of ISO 8601 that have a fixed length: weeks, or days, hours, minutes and seconds. A day is 24 hours. */

const FORM =
  /^P(?=\d|T\d)(?:(\d{1,6})W|(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?)$/;
const LENGTHS = [604_800, 86_400, 3_600, 60, 1] as const;

/** Returns the seconds of a duration such as `PT24H`; undefined for other text, months and years. */
export function secondsOf(text: string): number | undefined {
  const parts = FORM.exec(text)?.slice(1);
  return parts?.reduce((sum, part, place) => sum + Number(part ?? 0) * (LENGTHS[place] ?? 0), 0);
}
