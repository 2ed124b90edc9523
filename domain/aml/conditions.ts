/**
 * The condition of a rule: a tree of `{all: []}`, `{any: []}`, `{not: node}` and comparisons `{left, op, right}`. What is well formed here
 * the database turns into SQL (db/functions/aml-conditions.sql).
 */
import { secondsOf } from '../time/durations.ts';
import { isTimeZone } from '../time/moments.ts';

/** What is wrong with a node, and where: the keys from the root of the condition. */
export interface ConditionFault {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

type Kind = 'number' | 'duration' | 'text' | 'boolean';

/** The fields of a movement and the kinds of their values. */
export const FIELDS: Readonly<Record<string, Kind>> = {
  amount: 'number',
  amount_base: 'number',
  currency: 'text',
  transfer_type: 'text',
  direction: 'text',
  kind: 'text',
  counterparty: 'text',
  counterparty_country: 'text',
  counterparty_first_seen_age: 'duration',
  account_age: 'duration',
  dormant_for: 'duration',
  contact_changed_age: 'duration',
  kyc_status: 'text',
  customer_risk: 'text',
  local_hour: 'number',
  is_round_to: 'boolean',
};
/** The fields that take another key beside `field`. */
const OPTIONS: Readonly<Record<string, string>> = { local_hour: 'zone', is_round_to: 'step' };

const OPS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'between'];
const ORDERED = ['gt', 'gte', 'lt', 'lte', 'between'];
const AGGREGATES = ['count', 'sum', 'avg', 'max', 'count_distinct'];
const DISTINCT = ['counterparty', 'counterparty_country', 'currency', 'transfer_type', 'kind'];
const ARITHMETIC = ['add', 'sub', 'mul', 'div'];
const MOST_DEPTH = 12;
const MOST_NODES = 200;
const LONGEST_WINDOW_SECONDS = 400 * 86_400;

const NUMBER = /^-?\d{1,30}(\.\d{1,18})?$/;
const LIST_CODE = /^[a-z][a-z0-9_]{1,59}$/;

interface Look {
  readonly path: readonly (string | number)[];
  readonly depth: number;
  /** Inside the `where` of an aggregate, which has no aggregates of its own. */
  readonly inside: boolean;
  readonly found: { faults: ConditionFault[]; nodes: number };
}

/** The lists that a condition names, each once. */
export function listsIn(condition: unknown): readonly string[] {
  const text = JSON.stringify(condition) ?? '';
  return [...new Set([...text.matchAll(/\{"list":"([a-z0-9_]+)"\}/g)].map(([, code = '']) => code))];
}

/** Everything that is wrong with a condition; nothing if it can be compiled. */
export function conditionFaults(condition: unknown): readonly ConditionFault[] {
  const found = { faults: [], nodes: 0 };
  node(condition, { path: [], depth: 0, inside: false, found });
  return found.faults;
}

function node(value: unknown, look: Look): void {
  look.found.nodes += 1;
  if (!isObject(value)) return fault(look, 'not_a_node', 'must be an object');
  if (look.depth > MOST_DEPTH || look.found.nodes > MOST_NODES)
    return fault(look, 'too_large', 'is too large a condition');
  const keys = Object.keys(value);
  const [only = ''] = keys;
  if (keys.length === 1 && (only === 'all' || only === 'any')) return group(value[only], only, look);
  if (keys.length === 1 && only === 'not') return node(value[only], deeper(look, only));
  if (!('op' in value)) return fault(look, 'not_a_node', 'must be all, any, not, or left, op and right');
  extra(value, ['left', 'op', 'right'], look);
  leaf(value, look);
}

function group(value: unknown, key: string, look: Look): void {
  if (!Array.isArray(value) || value.length === 0)
    return fault(deeper(look, key), 'empty', 'must be an array of at least one node');
  value.forEach((each, index) => node(each, deeper(look, key, index)));
}

function leaf({ left, op, right }: Record<string, unknown>, look: Look): void {
  if (typeof op !== 'string' || !OPS.includes(op))
    return fault(deeper(look, 'op'), 'unknown_op', `must be one of ${OPS.join(', ')}`);
  const kinds = [operand(left, deeper(look, 'left')), ...rights(op, right, deeper(look, 'right'))];
  const kind = kinds.find((each) => each !== undefined);
  kinds.forEach((each) => {
    if (each !== undefined && each !== kind) fault(look, 'wrong_type', `compares ${kind ?? ''} with ${each}`);
  });
  if (kind !== undefined && ORDERED.includes(op) && (kind === 'text' || kind === 'boolean'))
    fault(deeper(look, 'op'), 'wrong_type', `cannot order values that are ${kind}`);
  if (kind !== undefined) return constants([left, right].flat(), kind, look);
  if (isObject(left) && 'value' in left) fault(look, 'constant', 'must compare a field or an aggregate');
}

/** What stands on the right; more than one operand for `between` and `in`. */
function rights(op: string, right: unknown, look: Look): (Kind | undefined)[] {
  if (op === 'between') {
    if (Array.isArray(right) && right.length === 2)
      return right.map((each, index) => operand(each, deeper(look, index)));
    return [fault(look, 'wrong_type', 'must be [low, high]')];
  }
  if (op !== 'in' && op !== 'not_in') return [operand(right, look)];
  if (Array.isArray(right) && right.length > 0)
    return right.map((each, index) => operand(each, deeper(look, index)));
  if (!isObject(right) || typeof right['list'] !== 'string' || !LIST_CODE.test(right['list']))
    return [fault(look, 'wrong_type', 'must be {list: code} or an array of operands')];
  extra(right, ['list'], look);
  return ['text'];
}

function operand(value: unknown, look: Look): Kind | undefined {
  look.found.nodes += 1;
  if (!isObject(value)) return fault(look, 'not_an_operand', 'must be an operand, such as {value: "1"}');
  if (look.depth > MOST_DEPTH) return fault(look, 'too_large', 'is too large a condition');
  if ('aggregate' in value) return aggregate(value, look);
  if ('field' in value) return field(value, look);
  if ('value' in value) {
    extra(value, ['value'], look);
    return undefined;
  }
  const [only = ''] = Object.keys(value);
  if (!ARITHMETIC.includes(only))
    return fault(look, 'not_an_operand', 'must be a value, field, aggregate or arithmetic');
  extra(value, [only], look);
  return arithmetic(value[only], deeper(look, only));
}

function arithmetic(pair: unknown, look: Look): Kind | undefined {
  if (!Array.isArray(pair) || pair.length !== 2) return fault(look, 'wrong_type', 'must be two operands');
  pair.forEach((each, index) => {
    const kind = operand(each, deeper(look, index));
    if (kind !== undefined && kind !== 'number') fault(deeper(look, index), 'wrong_type', 'must be a number');
  });
  constants(pair, 'number', look);
  return 'number';
}

function field(value: Record<string, unknown>, look: Look): Kind | undefined {
  const name = String(value['field']);
  const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (kind === undefined) return fault(deeper(look, 'field'), 'unknown_field', 'is not a field');
  const option = OPTIONS[name];
  extra(value, option === undefined ? ['field'] : ['field', option], look);
  const given = option === undefined ? undefined : value[option];
  if (option === 'zone' && (typeof given !== 'string' || !isTimeZone(given)))
    return fault(deeper(look, 'zone'), 'unknown_zone', 'must be a time zone of IANA');
  if (option === 'step' && !(typeof given === 'string' && NUMBER.test(given) && Number(given) > 0))
    return fault(deeper(look, 'step'), 'wrong_type', 'must be a decimal above zero as a string');
  return kind;
}

function aggregate(value: Record<string, unknown>, look: Look): Kind | undefined {
  const { aggregate: name, over, window, where, include_current: current, field: of } = value;
  const at = (key: string): Look => deeper(look, key);
  extra(value, ['aggregate', 'over', 'window', 'where', 'include_current', 'field'], look);
  if (look.inside) return fault(look, 'nested', 'cannot be inside another aggregate');
  if (typeof name !== 'string' || !AGGREGATES.includes(name))
    return fault(at('aggregate'), 'unknown_aggregate', `must be one of ${AGGREGATES.join(', ')}`);
  if (over !== 'outgoing' && over !== 'incoming' && over !== 'both')
    fault(at('over'), 'wrong_type', 'must be outgoing, incoming or both');
  const seconds = typeof window === 'string' ? secondsOf(window) : undefined;
  if (window === undefined) fault(at('window'), 'no_window', 'is missing');
  else if (seconds === undefined || seconds <= 0)
    fault(at('window'), 'wrong_type', 'must be a duration such as PT24H, without months or years');
  else if (seconds > LONGEST_WINDOW_SECONDS)
    fault(at('window'), 'too_long', 'must not be longer than 400 days');
  const fields = name === 'count_distinct' ? DISTINCT : ['amount', 'amount_base'];
  if (name === 'count' ? of !== undefined : !fields.includes(String(of)))
    fault(
      at('field'),
      'wrong_type',
      name === 'count' ? 'is not for a count' : `must be ${fields.join(' or ')}`,
    );
  if (current !== undefined && typeof current !== 'boolean')
    fault(at('include_current'), 'wrong_type', 'must be true or false');
  if (where !== undefined) node(where, { ...deeper(look, 'where'), inside: true });
  return 'number';
}

/** Constants have the kind of what they are compared with. */
function constants(operands: readonly unknown[], kind: Kind, look: Look): void {
  for (const each of operands) {
    if (!isObject(each) || !('value' in each) || isConstant(each['value'], kind)) continue;
    fault(look, 'wrong_type', `${JSON.stringify(each['value'])} is not a ${kind}`);
  }
}

function extra(value: object, known: readonly string[], look: Look): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) fault(deeper(look, key), 'unknown_key', 'is not known here');
}

/** Notes a fault; undefined, so that an operand with a fault has no kind. */
function fault({ path, found }: Look, code: string, message: string): undefined {
  found.faults.push({ path, code, message });
  return undefined;
}

function deeper(look: Look, ...keys: readonly (string | number)[]): Look {
  return { ...look, path: [...look.path, ...keys], depth: look.depth + 1 };
}

function isConstant(value: unknown, kind: Kind): boolean {
  if (kind === 'boolean') return typeof value === 'boolean';
  if (kind === 'number' && Number.isSafeInteger(value)) return true;
  if (typeof value !== 'string') return false;
  if (kind === 'number') return NUMBER.test(value);
  return kind === 'duration' ? secondsOf(value) !== undefined : value.length <= 200;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
