/** Which changes of card products, of their numbers and of a card's own controls make the bank less careful. */
import { scopeName, type CardControl, type CardLimit, type ProductTerms } from './products.ts';

/** Left out of a card’s own controls and limits, which its holder has set. */
interface Loosenable {
  readonly customer_may_loosen?: boolean;
}

/** True if a payment could pass that would have been stopped by a control. */
export function loosensControls(
  before: readonly (CardControl & Loosenable)[],
  after: readonly (CardControl & Loosenable)[],
): boolean {
  return !before.every((control) => after.some((other) => isAsStrict(control, other)));
}

function isAsStrict(control: CardControl & Loosenable, other: CardControl & Loosenable): boolean {
  const within = (inner: CardControl, outer: CardControl): boolean =>
    inner.values.every((value) => outer.values.includes(value));
  return (
    other.type === control.type &&
    other.mode === control.mode &&
    (control.mode === 'allow' ? within(other, control) : within(control, other)) &&
    keepsCustomer(control, other)
  );
}

/** True if more could be paid in some period. */
export function loosensCardLimits(
  before: readonly (CardLimit & Loosenable)[],
  after: readonly (CardLimit & Loosenable)[],
): boolean {
  return !before.every((limit) =>
    after.some(
      (other) =>
        other.period === limit.period &&
        scopeName(other.scope) === scopeName(limit.scope) &&
        !isMore(limit.amount, other.amount) &&
        !isMore(limit.count, other.count) &&
        keepsCustomer(limit, other),
    ),
  );
}

function keepsCustomer(before: Loosenable, after: Loosenable): boolean {
  return before.customer_may_loosen === true || after.customer_may_loosen !== true;
}

/** Null is no limit. */
function isMore(before: string | number | null, after: string | number | null): boolean {
  return before !== null && (after === null || BigInt(after) > BigInt(before));
}

/** True if more people could get such a card, if more could be paid with it, or if fewer payments are checked. */
export function loosensProduct(before: ProductTerms | null, after: ProductTerms | null): boolean {
  // nobody gets a card of a product that is disabled, and cards that are issued keep theirs
  if (after === null || !after.enabled) return false;
  if (before === null || !before.enabled) return true;
  return (
    widens(before.accountTypeIds, after.accountTypeIds) ||
    JSON.stringify(before.holdRules) !== JSON.stringify(after.holdRules) ||
    loosensControls(before.controls, after.controls) ||
    loosensCardLimits(before.limits, after.limits) ||
    loosensSca(before, after) ||
    after.pinTries > before.pinTries ||
    after.standInLimit > before.standInLimit
  );
}

/** What a version says that cards are under. */
interface IssuedTerms extends ProductTerms {
  readonly version: number;
}

/** True if cards got another version under which more could be paid with them. Versions are those of open cards. */
export function loosensIssued(before: readonly IssuedTerms[], after: readonly IssuedTerms[]): boolean {
  const left = before.filter((one) => !after.some(({ version }) => version === one.version));
  // cards go on under a product that is disabled
  return left.some((one) =>
    after.some((other) => loosensProduct({ ...one, enabled: true }, { ...other, enabled: true })),
  );
}

/** None is every type. */
function widens(before: readonly string[], after: readonly string[]): boolean {
  return before.length > 0 && (after.length === 0 || after.some((type) => !before.includes(type)));
}

/** Another way of counting is another rule, so somebody looks; to begin counting tightens. */
function loosensSca(before: ProductTerms, after: ProductTerms): boolean {
  if (before.sca.mode === 'off') return false;
  return (
    after.sca.mode !== before.sca.mode ||
    isMore(before.sca.amount, after.sca.amount) ||
    isMore(before.sca.count, after.sca.count) ||
    isMore(before.scaRemote.amount, after.scaRemote.amount) ||
    isMore(before.scaRemote.count, after.scaRemote.count)
  );
}

/** Card numbers from the first to the last, without their check digits. */
export interface NumberRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** True if cards could get numbers that they could not get before. */
export function addsNumbers(before: readonly NumberRange[], after: readonly NumberRange[]): boolean {
  return !after.every((range) =>
    before.some((known) => known.first <= range.first && range.last <= known.last),
  );
}
