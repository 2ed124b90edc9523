/** Operations that only development has: they move the clock of the bank, and ask its calendar rules. */
import { cardValidUntil } from '../../../db/queries/cards/life.ts';
import { limitPeriod } from '../../../db/queries/transfers/limit-period.ts';
import { businessDue } from '../../../db/queries/platform/business-hours.ts';
import { clockAhead } from '../../../db/queries/platform/clock.ts';
import type { z } from 'zod';
import { deliveryTime } from '../../../domain/notifications/sending.ts';
import { now } from '../../../domain/time/now.ts';
import { moveClock } from '../../../services/platform/moving-clock.ts';
import { forAnybody } from '../../declaration/operation.ts';
import * as wire from './schemas.ts';

const about = { area: 'Sandbox', beyond: true, status: 200 } as const;

export const readSandboxClock = forAnybody({
  ...about,
  id: 'readSandboxClock',
  title: 'Read the clock of the bank',
  description: 'Returns the time of the bank, and how far it was moved ahead of the machine’s.',
  method: 'GET',
  path: '/v1/sandbox/clock',
  effect: 'read',
  answer: wire.Clock,
  refuses: [],
  handle: ({ db }) => clockNow(db),
});

export const moveSandboxClock = forAnybody({
  ...about,
  id: 'moveSandboxClock',
  title: 'Move the clock of the bank forward',
  description:
    'Moves the time of the bank forward and carries out what falls due on the way, each at its time, before it answers. Logins, codes, tokens and upload addresses keep the time of the machine. The clock stays moved when the service is started again. A long way with much to do may take longer than an answer may: it then goes on, and the answer is 503.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/sandbox/clock',
  effect: 'own_transactions',
  body: wire.ClockMove,
  answer: wire.Clock,
  refuses: ['unavailable'],
  async handle({ body, db }, services) {
    await moveClock({ ...services, em: () => db.fork() }, body.advance);
    return clockNow(db);
  },
});

export const askSandboxWhen = forAnybody({
  ...about,
  id: 'askSandboxWhen',
  title: 'Ask a calendar rule',
  description:
    'Answers by the code that runs live. `limit_period`: the period of a limit in which a moment lies. A period of the calendar begins with `from` and ends before `until`; a rolling window begins after `from` and ends with `until`. `business_due`: the moment at which so many business hours have passed. `card_expiry`: the end of the last month of a card in the bank’s time zone. `delivery`: when something that happens at a moment is told by mail, with the next digest and after quiet hours.',
  method: 'POST',
  idempotency: 'none',
  path: '/v1/sandbox/when',
  effect: 'own_transactions',
  body: wire.WhenQuestion,
  answer: wire.WhenAnswer,
  refuses: [],
  async handle({ body, db }, { config }) {
    switch (body.rule) {
      case 'limit_period':
        return limitPeriod.one(db, { at: body.at, period: body.period });
      case 'business_due':
        return businessDue.one(db, { at: body.at, hours: String(body.hours) });
      case 'card_expiry':
        return cardValidUntil.one(db, { expiry: body.expiry });
      case 'delivery':
        return { at: deliveryMoment(body, config.BANK_TIME_ZONE) };
    }
  },
});

type DeliveryQuestion = Extract<z.output<typeof wire.WhenQuestion>, { rule: 'delivery' }>;

function deliveryMoment(
  { at, category, quiet_hours: hours, digest, ttl }: DeliveryQuestion,
  bankZone: string,
): Date | null {
  const zone = hours?.time_zone ?? bankZone;
  const [hour, weekday] = typeof digest === 'object' ? [digest.hour, digest.weekday ?? null] : [0, null];
  return deliveryTime(at, {
    isUrgent: category === 'security',
    digest:
      digest === undefined ? null : { kind: digest === 'hourly' ? 'hourly' : 'daily', hour, weekday, zone },
    quiet: hours === undefined || hours.enabled === false ? null : { ...hours, zone },
    expiresAt: ttl === undefined ? null : new Date(at.getTime() + ttl * 1_000),
  });
}

async function clockNow(db: Parameters<typeof clockAhead.one>[0]) {
  const { seconds } = await clockAhead.one(db);
  return { now: now(), ahead_seconds: seconds };
}

/** In the order of the documentation. */
export const operations = [readSandboxClock, moveSandboxClock, askSandboxWhen];
