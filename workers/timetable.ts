/** When the service does what it does by the clock. */
import type { Schedule } from './schedules.ts';

export const timetable: readonly Schedule[] = [
  {
    id: 'scheduled-transfers',
    type: 'scheduledTransfers',
    spec: { intervals: [{ every: '5 minutes' }] },
    note: 'Starts the scheduled and standing transfers whose day has come.',
  },
  {
    id: 'account-fees',
    type: 'accountFees',
    // every day: the month is charged once, what was refused is tried again
    spec: { calendars: [{ hour: 2, minute: 10 }] },
    note: 'Charges the monthly fees of accounts.',
  },
  {
    id: 'key-rotation',
    type: 'keyRotation',
    // every day: it asks whether the time that is set is over
    spec: { calendars: [{ hour: 3, minute: 20 }] },
    note: 'Lets another key sign tokens where the present one has done so long enough.',
  },
  {
    id: 'crypto-snapshots',
    type: 'cryptoSnapshots',
    spec: { calendars: [{ hour: 0, minute: 5 }] },
    note: 'Keeps what customers have in coins, and what they are worth, once a day.',
  },
  {
    id: 'ledger-check',
    type: 'ledgerCheck',
    spec: { calendars: [{ hour: 4, minute: 30 }] },
    note: 'Proves the books from their entries.',
  },
];
