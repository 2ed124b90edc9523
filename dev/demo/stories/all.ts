/** What makes some customers interesting: each has a story that a visitor of the demo would look for. */
import type { Member, OpenBank } from '../bank.ts';
import type { Opening } from '../join.ts';
import * as money from './money.ts';
import * as office from './office.ts';
import * as tickets from './tickets.ts';

export interface Story {
  /** Completes "this customer …". */
  readonly tells: string;
  /** What the customer begins with, where it matters. */
  readonly opening?: Opening;
  play(bank: OpenBank, member: Member): Promise<void>;
}

const RICH: Opening = [34_000, 58_000];
/** Enough for all but the payment that is refused. */
const COMFORTABLE: Opening = [4_200, 6_900];
const USUAL: Opening = [2_600, 6_900];

/** The first customers get the first stories, so that a small demo has the most interesting ones. */
const STORIES: readonly Story[] = [
  {
    tells: 'has a payment waiting for approval, another was approved',
    opening: RICH,
    play: money.waitAndWin,
  },
  { tells: 'has a new ticket with an attachment', play: tickets.openWithAttachment },
  { tells: 'waits for a business account', play: office.askForBusinessAccount },
  { tells: 'was refused payments: no funds, over the limit', opening: COMFORTABLE, play: money.askTooMuch },
  { tells: 'has a standing order, a scheduled payment and a cancelled one', play: money.planAhead },
  { tells: 'had a large payment rejected, cancelled another', opening: RICH, play: money.loseAndCancel },
  { tells: 'has an answer to a ticket', play: tickets.answered },
  { tells: 'has a blocked account', play: office.beBlocked },
  { tells: 'has a flagged account and a payment under review', play: office.beFlagged },
  { tells: 'has a closed ticket', play: tickets.closed },
  { tells: 'got a business account after review', play: office.getBusinessAccount },
  { tells: 'has a payment planned for today that will be refused', play: money.planTooMuch },
  { tells: 'has written again on a ticket, support is to answer', play: tickets.waitForSupport },
  { tells: 'was refused a business account', play: office.loseBusinessAccount },
  { tells: 'pays abroad in dollars; the other bank returns a SEPA payment', play: money.payFarAway },
  { tells: 'was credited twice; one credit was reversed', play: office.creditTwice },
];

/** After so many customers the stories begin again; those in between live ordinary lives. */
const ROUND = 25;

/** The story of a customer; undefined for an ordinary life. */
export function storyOf(index: number): Story | undefined {
  return STORIES[index % ROUND];
}

/** What a customer begins with. */
export function openingOf(index: number): Opening {
  return storyOf(index)?.opening ?? USUAL;
}

/** The customers worth a visit: the first of each story, as far as there are so many customers. */
export function worthAVisit(count: number): readonly (readonly [index: number, tells: string])[] {
  return STORIES.slice(0, count).map(({ tells }, index) => [index, tells] as const);
}
