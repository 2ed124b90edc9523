/** Data that says who somebody is, where a reader only has to know that it changed. */

const PERSONAL: ReadonlySet<string> = new Set([
  'first_name',
  'last_name',
  'date_of_birth',
  'address',
  'email',
  'phone',
]);
/** Stands for what is left out. */
const HIDDEN = '•••';

/** `a•••@example.com`: enough to recognise whom one speaks with, too little to write to them. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return `${first}${HIDDEN}${email.slice(at)}`;
}

/** `+49•••20`. */
export function maskedPhone(phone: string): string {
  return `${phone.slice(0, 3)}${HIDDEN}${phone.slice(-2)}`;
}

/** The same fields with personal values hidden, at any depth. */
export function hidingPersonal(state: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      PERSONAL.has(name) && value !== null ? HIDDEN : hidden(value),
    ]),
  );
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  return isPlain(value) ? hidingPersonal(value) : value;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
