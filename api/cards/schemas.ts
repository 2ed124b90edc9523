import { z } from 'zod';
import {
  CARD_BLOCKERS,
  CARD_CLOSED_REASONS,
  CARD_STATUSES,
  PIN_STATUSES,
  REPLACEMENT_REASONS,
} from '../../domain/cards/cards.ts';
import { RULE_SETTERS } from '../../domain/cards/payments.ts';
import { CARD_KINDS } from '../../domain/cards/products.ts';
import { AccountId, AccountTypeId, CardId, CardProductId, UserId } from '../../domain/ids.ts';
import { Nickname, UserAccount, example as accountExample } from '../accounts/schemas.ts';
import { Address } from '../identity/users/schemas.ts';
import { named } from '../wire/naming.ts';
import { Amount, listOf, Money, Timestamp } from '../wire/shapes.ts';
import { Reason } from '../wire/text.ts';
import {
  control,
  FITS_TYPE,
  fitsType,
  limit,
  LIMITS_SOMETHING,
  limitsSomething,
} from './products/schemas.ts';

const EXAMPLE_ID = '0192f0c1-3b1e-7c4e-9d5a-6f0a4c1b2d3e';

const set_by = z.enum(RULE_SETTERS).describe('Who has set it.');
const customer_may_loosen = z.boolean().optional();
const controls = z
  .array(z.strictObject({ ...control, values: z.array(z.string()), customer_may_loosen, set_by }))
  .describe('Those that count: of the product, and of the holder.');
const limits = z
  .array(z.strictObject({ ...limit, customer_may_loosen, set_by }))
  .describe('Those that count; of two, the tighter one.');

const cardExample = {
  ...{
    id: EXAMPLE_ID,
    account_id: EXAMPLE_ID,
    kind: 'virtual' as const,
    status: 'active' as const,
    blocked_by: null,
  },
  product: { id: EXAMPLE_ID, code: 'everyday_eur', name: 'Everyday card', version: 1 },
  ...{ closed_reason: null, last_four: '4242', expiry: '11/30', replaces: null, merchant_id: null },
  ...{ amount: null, controls: [], limits: [], pin_status: 'unset' as const, shipping: null },
  ...{ created_at: '2026-11-01T09:30:00.000Z', activated_at: '2026-11-01T09:30:00.000Z', closed_at: null },
};

export const Card = named(
  'Card',
  z.strictObject({
    id: CardId,
    account_id: AccountId,
    product: z.strictObject({ id: CardProductId, code: z.string(), name: z.string(), version: z.int() }),
    kind: z.enum(CARD_KINDS),
    status: z
      .enum(CARD_STATUSES)
      .describe('`inactive`: sent and not activated; `closed`: for ever. Only `active` pays.'),
    blocked_by: z.enum(CARD_BLOCKERS).nullable().describe('Only the bank lifts its own block.'),
    closed_reason: z.enum(CARD_CLOSED_REASONS).nullable(),
    last_four: z.string().describe('The last four digits of the number.'),
    expiry: z.string().describe('MM/YY; valid to the end of the month in the time zone of the bank.'),
    replaces: CardId.nullable().describe('The card in whose place it was issued.'),
    merchant_id: z.string().nullable().describe('The only merchant that it pays.'),
    amount: Money.nullable().describe('How much its single payment may be; null is no such limit.'),
    controls,
    limits,
    pin_status: z.enum(PIN_STATUSES).describe('`locked` after too many wrong tries at terminals.'),
    shipping: z
      .strictObject({
        address: Address,
        sent_at: Timestamp.nullable().describe('When it was sent; null for a moment after it was issued.'),
      })
      .nullable()
      .describe('Where it is sent; null if it is not.'),
    created_at: Timestamp,
    activated_at: Timestamp.nullable(),
    closed_at: Timestamp.nullable(),
  }),
  cardExample,
);
export const CardList = listOf('CardList', Card);

/** What the kinds of cards need beside their product. */
const wish = {
  card_product_id: CardProductId,
  shipping_address: Address.optional().describe('For a physical card, which needs it.'),
  merchant_id: z
    .string()
    .regex(/^[\x21-\x7e]{1,40}$/)
    .optional()
    .describe('For a card that is locked to a merchant, which needs it: the id that the network gives.'),
  amount: Amount.optional().describe('For a single-use card: how much its payment may be.'),
};
const example = { card_product_id: EXAMPLE_ID };

export const IssueCardRequest = named('IssueCardRequest', z.strictObject(wish), example);

const opening = { account_type_id: AccountTypeId, nickname: Nickname.optional(), ...wish };
const openingExample = { account_type_id: EXAMPLE_ID, nickname: 'Household', ...example };
export const OpenAccountAndIssueCardRequest = named(
  'OpenAccountAndIssueCardRequest',
  z.strictObject(opening),
  openingExample,
);
export const OpenAccountAndIssueCardForUserRequest = named(
  'OpenAccountAndIssueCardForUserRequest',
  z.strictObject({ user_id: UserId, ...opening }),
  { user_id: EXAMPLE_ID, ...openingExample },
);

export const CardWithAccountResponse = named(
  'CardWithAccountResponse',
  z.strictObject({ account: UserAccount, card: Card }),
  { account: accountExample, card: cardExample },
);

const expiry = z.string().describe('MM/YY.');
const sealed = z.strictObject({
  jwe: z
    .string()
    .describe('The same members in a compact JWE for `public_key`. Only whoever made the key reads it.'),
});
/** A key of the client, so that the answer is encrypted for it. */
export const RevealQuery = z.strictObject({
  public_key: z
    .string()
    .max(2_000)
    .optional()
    .describe(
      'A public key that the client has made for this answer: base64url of a JSON web key, P-256 (ECDH-ES) or RSA of 2,048 to 4,096 bits (RSA-OAEP-256). The answer then is `jwe` alone.',
    ),
});
export const CardNumberResponse = named(
  'CardNumberResponse',
  z.union([z.strictObject({ number: z.string().describe('All digits.'), expiry }), sealed]),
  { number: '9999900000000009', expiry: '11/30' },
);
export const CardCVVResponse = named(
  'CardCVVResponse',
  z.union([
    z.strictObject({
      cvv: z.string().describe('Three digits. Computed for this answer and stored nowhere.'),
    }),
    sealed,
  ]),
  { cvv: '000' },
);

const coordinate = z.string().describe('base64url.');
export const CardKeySet = named(
  'CardKeySet',
  z.strictObject({
    keys: z.array(
      z.strictObject({
        ...{ kty: z.literal('EC'), crv: z.literal('P-256'), x: coordinate, y: coordinate },
        ...{ kid: z.string(), alg: z.literal('ECDH-ES'), use: z.literal('enc') },
      }),
    ),
  }),
  {
    keys: [
      {
        ...{ kty: 'EC', crv: 'P-256', kid: 'first', alg: 'ECDH-ES', use: 'enc' },
        ...{
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      },
    ],
  },
);
export const CardPinRequest = named(
  'CardPinRequest',
  z.strictObject({
    pin: z
      .string()
      .max(2_000)
      .describe(
        'A compact JWE (ECDH-ES, A256GCM, with the `kid` of the key) of `{pin, card_id, nonce}`; the nonce is text of 8 to 128 characters that was not used before.',
      ),
  }),
  { pin: 'eyJhbGciOiJFQ0RILUVTIn0..aXY.Y2lwaGVydGV4dA.dGFn' },
);

const switched = z.enum(['blocked', 'active']);
export const CardUpdateRequest = named('CardUpdateRequest', z.strictObject({ status: switched }), {
  status: 'blocked',
});
export const AdminCardUpdateRequest = named(
  'AdminCardUpdateRequest',
  z.strictObject({ status: switched, reason: Reason }),
  { status: 'blocked', reason: 'Number seen in a list of stolen ones' },
);
export const ReplaceCardRequest = named(
  'ReplaceCardRequest',
  z.strictObject({ reason: z.enum(REPLACEMENT_REASONS) }),
  { reason: 'lost' },
);
export const CloseCardRequest = named('CloseCardRequest', z.strictObject({ reason: Reason }), {
  reason: 'The relationship has ended',
});

export const CardControlsRequest = named(
  'CardControlsRequest',
  z.strictObject({
    controls: z
      .array(
        z
          .strictObject({ ...control, values: z.array(z.string().max(40)).max(500) })
          .refine(fitsType, FITS_TYPE),
      )
      .max(20),
  }),
  { controls: [{ type: 'country', mode: 'allow', values: ['DE', 'FR'] }] },
);
export const CardLimitsRequest = named(
  'CardLimitsRequest',
  z.strictObject({
    limits: z.array(z.strictObject(limit).refine(limitsSomething, LIMITS_SOMETHING)).max(30),
  }),
  { limits: [{ period: 'day', scope: 'online', amount: { amount: '100.00', currency: 'EUR' } }] },
);
