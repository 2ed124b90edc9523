/** The port to the payment rail: the clearing houses and correspondent banks that carry money out of this bank. */
import type { RailPayment, RailReport } from '../../domain/transfers/rail.ts';

export interface PaymentRail {
  /** Hands the payment over. The same transfer twice is one payment. Throws where the rail cannot be reached: try again. */
  submit(payment: RailPayment): Promise<void>;
  /**
   * Takes in what the rail has sent and brings each report to `handle`, again and again until it does not throw. What was taken in
   * is durable before that. Answers how many reports were handled. Throws where the rail cannot be reached.
   */
  collect(handle: (report: RailReport) => Promise<void>): Promise<number>;
}
