/** Metrics in Prometheus' text format. */

/** The metrics that a page describes; those without a value too. */
export function namesIn(page: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = '', type] of page.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    const parts = type === 'histogram' ? ['', '_bucket', '_sum', '_count'] : [''];
    for (const part of parts) names.add(`${name}${part}`);
  }
  return names;
}

/** The value of a sample, named as the page writes it: `teller_part_up{part="mail"}`. Undefined if there is none. */
export function sampleIn(page: string, sample: string): number | undefined {
  const line = page.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

/** The metrics that a rule or a document names. */
export function metricsNamed(text: string): string[] {
  return [...new Set(text.match(/\bteller_[a-z_]+[a-z]\b/g) ?? [])].toSorted();
}
