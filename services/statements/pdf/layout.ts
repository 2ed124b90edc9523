/** Where things stand on an A4 page of a printed statement, in points. */
import type { Statement } from '../statement.ts';
import type { Pen } from './pen.ts';
import type { Words } from './words.ts';

export const LEFT = 42;
export const RIGHT = 553;

/** Where each column begins, or ends where figures stand in it. */
export const COLUMN = { booked: LEFT, valued: 97, details: 152, debit: 402, credit: 477, balance: RIGHT };
export const DETAILS_WIDTH = 178;
export const AMOUNT_WIDTH = 70;
export const GREY = 0.4;
/** A statement while it is written: how far down the page and through the account it is. */
export interface Sheet {
  readonly statement: Statement;
  readonly pen: Pen;
  readonly words: Words;
  y: number;
  page: number;
  /** Minor units, after the last line. */
  balance: bigint;
}
