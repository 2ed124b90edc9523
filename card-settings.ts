/** Settings of card payments. */
import { z } from 'zod';
import { pinKeys, port, sharedKeys } from './setting-kinds.ts';

export const DEVELOPMENT_CARD_NETWORK_KEYS =
  'dev1:' + Buffer.alloc(32, 'teller-development-network').toString('base64');
export const DEVELOPMENT_CARD_PIN_KEYS = 'dev1:' + Buffer.alloc(16, 'teller-dev-pins').toString('hex');

export const cardSettings = {
  CARD_FOLDER: z
    .string()
    .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/, 'must be a path without slashes at its ends')
    .default('cards')
    .describe(
      'folder of the bucket in which the card network delivers files: in/; those that were read lie in done/ and refused/',
    ),
  CARD_NETWORK_KEYS: sharedKeys
    .optional()
    .describe(
      'keys with which the card network signs its messages: id:base64, comma separated; all are accepted; without one no message is, except in development',
    ),
  CARD_PIN_KEYS: pinKeys
    .optional()
    .describe(
      'keys under which terminals seal PINs: id:hex, comma separated; without one no PIN is right, except in development',
    ),
  CARD_NETWORK_PORT: port
    .optional()
    .describe(
      'port on loopback at which the card network simulator is controlled, and to which /v1/sandbox/card-network leads; `npm start` sets it to 7071; refused in production',
    ),
  CARD_HOLD_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(366)
    .default(7)
    .describe('days for which a card payment is held if its product says nothing else'),
  CARD_DISPUTE_ALONE_UP_TO: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(500)
    .describe(
      'whole units of the currency up to which one person may accept a dispute; above that two have to agree',
    ),
  CARD_DISPUTE_NETWORK_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(366)
    .default(45)
    .describe('days within which the card network answers a dispute; the back office is reminded after that'),
  CARD_CVV_TRIES: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe('wrong verification values of a card within an hour that lock its remote payments'),
  CARD_CVV_LOCK_MINUTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_080)
    .default(60)
    .describe('minutes for which remote payments are then locked'),
  CARD_CHALLENGE_MINUTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('minutes within which a holder approves or declines an online card payment'),
};
