/** Columns as the entities of db/schema describe them, so that a statement does not describe them again. */
import {
  ArrayType,
  BigIntType,
  BlobType,
  BooleanType,
  CharacterType,
  DateTimeType,
  DateType,
  DecimalType,
  IntegerType,
  JsonType,
  SmallIntType,
  StringType,
  TextType,
  TimeType,
  Type,
  UuidType,
  type EntityProperty,
  type EntitySchemaWithMeta,
} from '@mikro-orm/core';
import type { InferKyselyTable } from '@mikro-orm/postgresql';
import type { Insertable, Selectable } from 'kysely';
import { Minor } from '../schema/minor.ts';
import * as columns from './columns.ts';

/** A row of a table as it is read: a plain object of all its columns. */
export type TableRow<Entity extends EntitySchemaWithMeta> = Selectable<
  InferKyselyTable<Entity, { columnNamingStrategy: 'property' }>
>;

/** A row to insert: columns that the database fills in, or that may be null, can be left out. */
export type NewRow<Entity extends EntitySchemaWithMeta> = Insertable<
  InferKyselyTable<Entity, { columnNamingStrategy: 'property' }>
>;

type ColumnsOf<Entity extends EntitySchemaWithMeta, Name extends keyof TableRow<Entity>> = {
  readonly [Each in Name]: columns.Column<TableRow<Entity>[Each]>;
};

/** These columns of a table. */
export function columnsOf<Entity extends EntitySchemaWithMeta, Name extends keyof TableRow<Entity> & string>(
  entity: Entity,
  ...names: readonly Name[]
): ColumnsOf<Entity, Name> {
  const described: Readonly<Record<string, EntityProperty>> = entity.meta.properties;
  // MikroORM computes the type of a value from the property that is read here; TypeScript cannot follow it
  return Object.fromEntries(names.map((name) => [name, columnFor(name, described[name])])) as ColumnsOf<
    Entity,
    Name
  >;
}

/** The same columns where a row may be missing. */
export function nullable<Of extends columns.Columns>(of: Of): NullableOf<Of> {
  // each column keeps its name and its type
  return Object.fromEntries(
    Object.entries(of).map(([name, column]) => [name, column.nullable()]),
  ) as NullableOf<Of>;
}
type NullableOf<Of extends columns.Columns> = {
  readonly [Name in keyof Of]: columns.Column<columns.RowOf<Of>[Name] | null>;
};

/** `u.id, u.file_name`: the select list of such columns, for a table that the statement calls `alias`. */
export function selectList(of: columns.Columns, alias: string): string {
  return Object.keys(of)
    .map((name) => `${alias}.${columns.columnName(name)}`)
    .join(', ');
}

function columnFor(name: string, property: EntityProperty | undefined): columns.Column<unknown> {
  if (property === undefined) throw new TypeError(`${name} is not a column of the table`);
  const column =
    property.enum === true ? columns.oneOf(wordsOf(property)) : columnOfType(name, property.type);
  return property.nullable === true ? column.nullable() : column;
}

function wordsOf({ items }: EntityProperty): readonly string[] {
  return (items ?? []).map(String);
}

const byType = new Map<unknown, () => columns.Column<unknown>>([
  [UuidType, columns.id],
  [TextType, columns.text],
  [StringType, columns.text],
  [CharacterType, columns.text],
  [Minor, columns.minor],
  [DecimalType, columns.decimal],
  [BooleanType, columns.boolean],
  [SmallIntType, columns.integer],
  [IntegerType, columns.integer],
  [DateTimeType, columns.moment],
  [DateType, columns.day],
  [TimeType, columns.timeOfDay],
  [BlobType, columns.bytes],
  [JsonType, columns.ownJson],
  [ArrayType, columns.textArray],
]);

/** `type` is a class of MikroORM, or an instance of one that has options. */
function columnOfType(name: string, type: unknown): columns.Column<unknown> {
  if (type instanceof BigIntType) return type.mode === 'number' ? columns.bigCount() : columns.bigint();
  const make = byType.get(type instanceof Type ? type.constructor : type);
  if (make === undefined) throw new TypeError(`${name}: no converter reads this type`);
  return make();
}
