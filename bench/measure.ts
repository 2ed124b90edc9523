/** Measuring ours beside its floor: in turn, several rounds, median and spread; the ratio round by round. */

/** One round of one contender. Milliseconds; `rate` a second. */
export interface Sample {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

export type Contender = () => Promise<Sample>;

export interface Comparison {
  readonly name: string;
  readonly ours: readonly Sample[];
  readonly floor: readonly Sample[];
}

/** Calls `task` from so many callers at once, each again when the last is done, for so long. The first tenth is not counted. */
export async function drive(callers: number, seconds: number, task: () => Promise<void>): Promise<Sample> {
  const begun = performance.now();
  const counted = begun + seconds * 100;
  const end = begun + seconds * 1_000;
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let start = performance.now(); start < end; start = performance.now()) {
        await task();
        if (start >= counted) latencies.push(performance.now() - start);
      }
    }),
  );
  const elapsed = (performance.now() - counted) / 1_000;
  latencies.sort((one, other) => one - other);
  return { rate: latencies.length / elapsed, p50: at(latencies, 0.5), p99: at(latencies, 0.99) };
}

/** Runs both in turn, so that a machine that drifts drifts for both. */
export async function compare(
  name: string,
  rounds: number,
  ours: Contender,
  floor: Contender,
): Promise<Comparison> {
  const comparison = { name, ours: [] as Sample[], floor: [] as Sample[] };
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
    comparison[first].push(await (first === 'ours' ? ours : floor)());
    comparison[second].push(await (second === 'ours' ? ours : floor)());
  }
  process.stdout.write(`${describe(comparison)}\n`);
  return comparison;
}

/** `name  rate ours/floor (ratio median [least..most])  p50 … p99 …` */
function describe({ name, ours, floor }: Comparison): string {
  const ratio = (key: keyof Sample): string => {
    const ratios = ours
      .map((sample, round) => sample[key] / (floor[round]?.[key] ?? Number.NaN))
      .sort((one, other) => one - other);
    return `${at(ratios, 0.5).toFixed(2)} [${at(ratios, 0).toFixed(2)}..${at(ratios, 1).toFixed(2)}]`;
  };
  const middle = (samples: readonly Sample[], key: keyof Sample): number =>
    at(
      samples.map((sample) => sample[key]).sort((one, other) => one - other),
      0.5,
    );
  const column = (key: keyof Sample, digits: number): string =>
    `${middle(ours, key).toFixed(digits)} / ${middle(floor, key).toFixed(digits)} = ${ratio(key)}`;
  return `${name.padEnd(46)} rate ${column('rate', 0).padEnd(38)} p50 ms ${column('p50', 1).padEnd(34)} p99 ms ${column('p99', 1)}`;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
