/** Minor units: PostgreSQL's domain `minor` (a whole numeric) ⇄ bigint. */
import { Type } from '@mikro-orm/core';
import { z } from 'zod';

/** MikroORM hands over nullable columns too, so null stays null. */
export class Minor extends Type<bigint | null, string | null> {
  override convertToDatabaseValue(value: bigint | null): string | null {
    return value?.toString() ?? null;
  }

  override convertToJSValue(value: string | bigint | null): bigint | null {
    return value === null ? null : BigInt(value);
  }

  override getColumnType(): string {
    return 'minor';
  }

  override compareAsType(): string {
    return 'bigint';
  }
}

/** Minor units inside JSON, which the database writes as text there. */
export const minorText = z.string().transform(BigInt);
