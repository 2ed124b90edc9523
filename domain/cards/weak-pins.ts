/** PINs that a thief tries first. */

/** True for repeated digits (`7777`, `1212`), digits that run up or down (`3456`, `2109`), and the year in which the holder was born. */
export function isWeakPin(pin: string, dateOfBirth: string | null): boolean {
  if (/^(\d{1,6}?)\1+$/.test(pin)) return true;
  const digits = [...pin].map(Number);
  const steps = digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10);
  if (steps.every((step) => step === 1) || steps.every((step) => step === 9)) return true;
  return dateOfBirth !== null && pin === dateOfBirth.slice(0, 4);
}
