/** Minor units: PostgreSQL's domain `minor` (a whole numeric) ⇄ bigint. */
import { Type } from '@mikro-orm/core';

export class Minor extends Type<bigint, string> {
  override convertToDatabaseValue(value: bigint): string {
    return value.toString();
  }

  override convertToJSValue(value: string | bigint): bigint {
    return BigInt(value);
  }

  override getColumnType(): string {
    return 'minor';
  }

  override compareAsType(): string {
    return 'bigint';
  }
}
