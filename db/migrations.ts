/** All migrations, oldest first. Forward only: a landed one is never edited. */
import { Foundation } from './migrations/0001-foundation.ts';

export const migrations = [{ name: '0001-foundation', class: Foundation }] as const;
