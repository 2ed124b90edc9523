/** The payment rail, with its failures counted for operators. */
import { partFailures } from '../adapters/metrics.ts';
import type { PaymentRail } from '../adapters/rail/rail.ts';

export function countingFailures(rail: PaymentRail): PaymentRail {
  const counted = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      partFailures.inc({ part: 'rail' });
      throw error;
    }
  };
  return {
    submit: (payment) => counted(rail.submit(payment)),
    collect: (handle) => counted(rail.collect(handle)),
  };
}
