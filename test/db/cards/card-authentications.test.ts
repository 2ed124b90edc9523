/** What a proof of 3-D Secure is good for: one payment of this card, at this merchant, of no more than this, for a while, and once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { CardAuthenticationId } from '../../../domain/ids.ts';
import { openBooks, type Books } from '../../support/bank/books.ts';
import {
  answer,
  approved,
  authenticate,
  nextCard,
  onlineCard,
  payWith,
  type OnlineCard,
} from '../../support/bank/card-authentications.ts';
import { newMessage, newPaymentId, takeMessage, type BookedCard } from '../../support/bank/card-books.ts';
import { ownBank } from '../../support/stack/database.ts';

const PLENTY = 1_000_000n;

let books: Books;
beforeAll(async () => {
  books = openBooks(await ownBank());
});
afterAll(() => books.close());

const newCard = (funds = PLENTY, count?: number): Promise<OnlineCard> => onlineCard(books, funds, count);

/** Asks for so much online without a proof. */
const payUnproved = async (card: BookedCard, amount: number): Promise<string> =>
  (
    await takeMessage(books, card, {
      ...{ ...newMessage('0100', 'purchase', 'first', amount), payment: newPaymentId() },
      said: { entry_mode: 'ecommerce' },
    })
  ).reason;

const spenderOf = async (id: CardAuthenticationId): Promise<unknown> =>
  (await books.asOwner('select spent_by from card_authentications where id = $1', [id]))[0]?.['spent_by'];

describe('a proof of 50.00 at one shop', () => {
  const good = { amount: 5_000, shop: 'SHOP1', asset: 'EUR' };
  test.each([
    ['the same', good, 'approved'],
    ['less', { ...good, amount: 1 }, 'approved'],
    ['one cent more', { ...good, amount: 5_001 }, 'proof_mismatch'],
    ['another shop', { ...good, shop: 'SHOP2' }, 'proof_mismatch'],
    ['another currency', { ...good, asset: 'USD' }, 'contradiction'],
  ])('for %s', async (_, wish, reason) => {
    const card = await newCard();
    const id = await approved(books, card);
    expect(await payWith(books, card, id, wish)).toBe(reason);
    expect((await spenderOf(id)) !== null).toBe(reason === 'approved');
    // what did not fit has used nothing up
    expect(await payWith(books, card, id, good)).toBe(reason === 'approved' ? 'proof_mismatch' : 'approved');
  });

  test('is nothing on the card of somebody else', async () => {
    const id = await approved(books, await newCard());
    expect(await payWith(books, await newCard(), id)).toBe('proof_mismatch');
  });

  test('is good for the card that follows', async () => {
    const card = await newCard();
    const id = await approved(books, card);
    expect(await payWith(books, await nextCard(books, card), id)).toBe('approved');
  });

  test.each([
    ['that is not the bank’s', async () => Promise.resolve(null)],
    ['of nothing', async () => Promise.resolve(CardAuthenticationId.parse(randomUUID()))],
    [
      'of a challenge that nobody has answered',
      async (card: OnlineCard) => (await authenticate(books, card)).id,
    ],
    [
      'of a challenge that was declined',
      async (card: OnlineCard) => {
        const { id } = await authenticate(books, card);
        await answer(books, card, id, 'declined');
        return id;
      },
    ],
    ['whose time is over', (card: OnlineCard) => approved(books, card, 0)],
  ])('a proof %s is a mismatch', async (_, made) => {
    const card = await newCard();
    expect(await payWith(books, card, await made(card))).toBe('proof_mismatch');
    // also of a payment so small that it needs none
    expect(await payWith(books, card, await made(card), { amount: 1 })).toBe('proof_mismatch');
  });

  test('is not spent by a decline, and not given back by a reversal', async () => {
    const card = await newCard(4_999n);
    const id = await approved(books, card);
    expect(await payWith(books, card, id)).toBe('insufficient_funds');
    expect(await spenderOf(id)).toBeNull();
    await books.fund(card.account, 1n);
    const payment = newPaymentId();
    expect(await payWith(books, card, id, { payment })).toBe('approved');
    await takeMessage(books, card, { ...newMessage('0420', 'purchase', 'back', null), payment });
    expect(await payWith(books, card, id)).toBe('proof_mismatch');
  });

  test('a repeat of the message that has spent it gets the same answer', async () => {
    const card = await newCard();
    const id = await approved(books, card);
    const payment = newPaymentId();
    expect(await payWith(books, card, id, { payment })).toBe('approved');
    expect(await payWith(books, card, id, { payment })).toBe('approved');
    expect(await books.balance(card.account)).toMatchObject({ held: 5_000n });
  });

  test('eight payments at once: one is approved', async () => {
    const card = await newCard();
    const id = await approved(books, card);
    const reasons = await Promise.all(Array.from({ length: 8 }, () => payWith(books, card, id)));
    expect(reasons.toSorted()).toEqual(['approved', ...Array.from({ length: 7 }, () => 'proof_mismatch')]);
    expect(await books.balance(card.account)).toMatchObject({ held: 5_000n });
  });
});

describe('payments that nobody has proved', () => {
  test('a proof of the holder begins their count anew', async () => {
    const card = await newCard(PLENTY, 1);
    expect(await payUnproved(card, 100)).toBe('approved');
    expect(await payUnproved(card, 100)).toBe('sca_required');
    expect(await payWith(books, card, await approved(books, card))).toBe('approved');
    expect(await payUnproved(card, 100)).toBe('approved');
  });

  test('a proof for which nobody was asked counts as none', async () => {
    const card = await newCard(PLENTY, 2);
    const small = async () => (await authenticate(books, card, { amount: 100 })).id;
    const ids = [await small(), await small(), await small()];
    const reasons: string[] = [];
    for (const id of ids) reasons.push(await payWith(books, card, id, { amount: 100 }));
    expect(reasons).toEqual(['approved', 'approved', 'sca_required']);
    expect(await authenticate(books, card, { amount: 100 })).toMatchObject({ status: 'pending' });
  });

  test('30.00 is authenticated at once, a cent more is asked', async () => {
    const card = await newCard();
    expect(await authenticate(books, card, { amount: 3_000 })).toMatchObject({ status: 'authenticated' });
    expect(await authenticate(books, card, { amount: 3_001 })).toMatchObject({ status: 'pending' });
  });
});

describe('a challenge', () => {
  test('is answered once, in time, by its holder', async () => {
    const [card, other] = [await newCard(), await newCard()];
    const { id } = await authenticate(books, card);
    expect(await answer(books, other, id)).toBe('not_found');
    const both = await Promise.all([answer(books, card, id), answer(books, card, id, 'declined')]);
    expect(both.toSorted()).toEqual(['already_decided', null]);
    const late = await authenticate(books, card, { minutes: 0 });
    expect(late).toMatchObject({ status: 'expired' });
    expect(await answer(books, card, late.id)).toBe('already_decided');
  });

  test('the same request says how it is by then, another one with its id changes nothing', async () => {
    const card = await newCard();
    const authentication = randomUUID();
    const { id } = await authenticate(books, card, { authentication });
    const other = await authenticate(books, card, { authentication, amount: 6_000 });
    expect(other).toMatchObject({ id, status: 'refused', reason: 'contradiction' });
    await answer(books, card, id);
    expect(await authenticate(books, card, { authentication })).toMatchObject({
      id,
      status: 'authenticated',
    });
  });

  test('five within an hour that were not approved are enough', async () => {
    const card = await newCard();
    for (let time = 0; time < 5; time += 1) await answer(books, card, (await authenticate(books, card)).id);
    for (let time = 0; time < 5; time += 1) {
      const { id, status } = await authenticate(books, card);
      expect(status).toBe('pending');
      if (time < 4) await answer(books, card, id, 'declined');
    }
    const asked = await authenticate(books, await nextCard(books, card));
    expect(asked).toMatchObject({ status: 'refused', reason: 'limit_exceeded' });
    // what needs no proof asks nobody
    expect(await authenticate(books, card, { amount: 100 })).toMatchObject({ status: 'authenticated' });
  });

  test('in another currency than that of the account is refused', async () => {
    const asked = await authenticate(books, await newCard(), { asset: 'USD' });
    expect(asked).toMatchObject({ status: 'refused', reason: 'contradiction' });
  });
});

test('wrong expiries are guesses as they are in payments, and lock those', async () => {
  const card = await newCard();
  for (let time = 0; time < 5; time += 1) {
    const guess = await authenticate(books, card, { expiry: '01/40' });
    expect(guess).toMatchObject({ status: 'refused', reason: 'expired_card' });
  }
  // the right one is not told from a wrong one now, nor from none
  for (const expiry of ['12/99', '01/40', undefined])
    expect(await authenticate(books, card, expiry === undefined ? {} : { expiry })).toMatchObject({
      reason: 'cvv_locked',
    });
  expect(await payUnproved(card, 100)).toBe('cvv_locked');
});

describe('a program that is wrong cannot', () => {
  test.each([
    ['raise the amount', 'update card_authentications set amount = amount + 1 where id = $1'],
    [
      'decide again',
      `update card_authentications set status = 'declined', proof_expires_at = null where id = $1`,
    ],
    [
      'make a proof last longer',
      `update card_authentications set proof_expires_at = now() + interval '1 year' where id = $1`,
    ],
    ['delete it', 'delete from card_authentications where id = $1'],
    [
      'spend it with a payment that was declined',
      `update card_authentications set spent_at = now(), spent_by = (
         select m.id from card_messages m where m.reason <> 'approved' order by m.id desc limit 1) where id = $1`,
    ],
  ])('%s', async (_, statement) => {
    const card = await newCard(1n);
    const id = await approved(books, card);
    expect(await payWith(books, card, id)).toBe('insufficient_funds');
    await expect(books.asOwner(statement, [id])).rejects.toMatchObject({ code: '23001' });
  });

  test('approve what has expired', async () => {
    const { id } = await authenticate(books, await newCard(), { minutes: 0 });
    const approve = `update card_authentications set status = 'authenticated', decided_at = now(), proof_expires_at = now() where id = $1`;
    await expect(books.asOwner(approve, [id])).rejects.toMatchObject({ code: '23514' });
  });

  test('write one without the functions', async () => {
    const rows = books.em().getConnection().execute('update card_authentications set amount = 1 where false');
    await expect(rows).rejects.toThrow(/permission denied/);
  });
});
