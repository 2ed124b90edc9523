/** Controls and limits that holders set for their own cards. */
import { cardOf, setCardTerms, type CardRow } from '../../db/queries/cards/cards.ts';
import { record } from '../../db/queries/platform/audit.ts';
import { loosensCardLimits, loosensControls } from '../../domain/cards/loosening.ts';
import { inOrder, scopeName, type CardControl, type CardLimit } from '../../domain/cards/products.ts';
import type { CardId } from '../../domain/ids.ts';
import { faultIn, found } from '../../domain/refusals.ts';
import { minorIn } from '../amounts.ts';
import type { OwnCall } from '../callers.ts';
import type { WantedLimit } from './products.ts';

type TermsRefusal = 'card_closed' | 'card_not_loosened';

/** Sets the caller's own controls of a card. Refuses card_not_loosened for one that is looser than the product lets it be. */
export async function setOwnControls(
  call: OwnCall<TermsRefusal>,
  id: CardId,
  controls: readonly CardControl[],
): Promise<CardRow> {
  const before = found(await cardOf.first(call.db, { id, owner: call.actor.id }));
  const keyOf = ({ type, mode }: CardControl): string => `${type} ${mode}`;
  refuseTwice('controls', controls.map(keyOf));
  for (const fixed of before.productControls.filter((control) => !control.customer_may_loosen)) {
    const own = controls.filter((control) => keyOf(control) === keyOf(fixed));
    if (own.length > 0 && loosensControls([fixed], own))
      throw call.refusal('card_not_loosened', {
        members: { control: { type: fixed.type, mode: fixed.mode } },
      });
  }
  return changed(call, before, { controls, limits: null });
}

/** Sets the caller's own limits of a card. Refuses card_not_loosened for one that is looser than the product lets it be. */
export async function setOwnLimits(
  call: OwnCall<TermsRefusal>,
  id: CardId,
  wanted: readonly WantedLimit[],
): Promise<CardRow> {
  const before = found(await cardOf.first(call.db, { id, owner: call.actor.id }));
  const keyOf = ({ period, scope }: CardLimit): string => `${period} ${scopeName(scope)}`;
  const limits = wanted.map(({ period, scope = 'all', amount, count = null }, index) => ({
    ...{ period, scope: inOrder(scope), count },
    amount: amount == null ? null : String(minorIn(before.asset, `/limits/${index}/amount`, amount)),
  }));
  refuseTwice('limits', limits.map(keyOf));
  for (const fixed of before.productLimits.filter((limit) => !limit.customer_may_loosen)) {
    const own = limits.find((limit) => keyOf(limit) === keyOf(fixed));
    // what the holder does not name stays as the product has it
    const asked = own && { ...own, amount: own.amount ?? fixed.amount, count: own.count ?? fixed.count };
    if (asked !== undefined && loosensCardLimits([fixed], [asked]))
      throw call.refusal('card_not_loosened', {
        members: { limit: { period: fixed.period, scope: fixed.scope } },
      });
  }
  return changed(call, before, { controls: null, limits });
}

function refuseTwice(field: string, keys: readonly string[]): void {
  const index = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (index >= 0) throw faultIn(`/${field}/${index}`, 'twice', 'is there already');
}

async function changed(
  { db, actor, refusal }: OwnCall<TermsRefusal>,
  { id, controls, limits }: CardRow,
  terms: { readonly controls: readonly CardControl[] | null; readonly limits: readonly CardLimit[] | null },
): Promise<CardRow> {
  const verdict = await setCardTerms.one(db, { id, by: actor.id, ...terms });
  if (verdict.refusal === 'card_closed') throw refusal('card_closed');
  const after = await cardOf.one(db, { id, owner: actor.id });
  await record(db, actor, {
    action: terms.controls === null ? 'card.limits_set' : 'card.controls_set',
    subject: ['card', id],
    before: { controls, limits },
    after: { controls: after.controls, limits: after.limits },
  });
  return after;
}
