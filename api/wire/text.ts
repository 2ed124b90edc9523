/** Wire schemas for what people write. Everywhere the same characters pass: any script, with joiners and emoji. */
import { z } from 'zod';
import { isReadableLine, isReadableText } from '../../domain/text.ts';

const UNREADABLE = { message: 'must not hold control or direction characters' };
/** A joiner alone is no name. */
const INVISIBLE = { message: 'must hold a character that can be seen' };

/** One line, without blanks at its ends and in one Unicode form (NFC). It may be empty unless `least` says otherwise. */
export const Line = (most: number, least = 1) =>
  z
    .string()
    .normalize('NFC')
    .trim()
    .min(least)
    .max(most)
    .refine(isReadableLine, UNREADABLE)
    .refine((text) => text.length === 0 || /[^\s\p{Cf}]/u.test(text), INVISIBLE);

/** Several lines. */
export const Text = (most: number) =>
  z.string().normalize('NFC').trim().min(1).max(most).refine(isReadableText, UNREADABLE);

/** A name of a person, as the passport has it. */
export const PersonName = Line(100).describe('As in the passport; any script.');

/** Why somebody did something; kept with what was done. */
export const Reason = Line(500);
