/** Days on which the euro's payment system settles nothing, beside Saturdays and Sundays (ECB: TARGET long-term calendar). */

const DAY = 86_400_000;

/** ISO dates of the closing days of the years `from` to `to`. */
export function targetHolidays(from: number, to: number): string[] {
  const years = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return years.flatMap((year) => {
    const easter = easterSunday(year);
    const near = (days: number): string => new Date(easter + days * DAY).toISOString().slice(0, 10);
    return [`${year}-01-01`, near(-2), near(1), `${year}-05-01`, `${year}-12-25`, `${year}-12-26`];
  });
}

/** Of the Gregorian calendar, as milliseconds of its midnight in UTC (the anonymous algorithm: Meeus, Astronomical Algorithms, ch. 8). */
export function easterSunday(year: number): number {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const leaps = Math.floor(century / 4);
  const moon = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leaps - moon + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor((year % 100) / 4) - epact - (year % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * shift + 114;
  return Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1);
}
