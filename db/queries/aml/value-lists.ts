/** Named values for conditions. */
import type { RowOf } from '../../rows/columns.ts';
import { textArray } from '../../rows/columns.ts';
import { bigCount, text } from '../../rows/columns.ts';
import { statement } from '../../rows/statement.ts';
import { columnsOf, selectList } from '../../rows/table-columns.ts';
import { AmlValueList } from '../../schema/aml.ts';

const list = {
  ...columnsOf(AmlValueList, 'code', 'description', 'updatedBy', 'createdAt', 'updatedAt'),
  entries: textArray(),
};
export type ValueListRow = RowOf<typeof list>;

export const valueListByCode = statement({
  name: 'valueListByCode',
  takes: { code: text() },
  gives: list,
  sql: `select ${selectList(list, 'l')} from aml_value_lists l where l.code = $code`,
});

/** A page of lists by their codes, from after `after`. */
export const valueLists = statement({
  name: 'valueLists',
  takes: { after: text(), most: bigCount() },
  gives: list,
  sql: `select ${selectList(list, 'l')} from aml_value_lists l where l.code > $after order by l.code limit $most`,
});

/** Writes a list; one that is there gets other entries. */
export const writeValueList = statement({
  name: 'writeValueList',
  takes: { ...columnsOf(AmlValueList, 'code', 'description', 'updatedBy'), entries: list.entries },
  gives: list,
  sql: `
    insert into aml_value_lists as l (code, description, entries, updated_by) values ($code, $description, $entries, $updatedBy)
    on conflict (code) do update set description = excluded.description, entries = excluded.entries,
      updated_by = excluded.updated_by, updated_at = bank_now()
    returning ${selectList(list, 'l')}`,
});

/** Which of these lists there are. */
export const knownValueLists = statement({
  name: 'knownValueLists',
  takes: { codes: textArray() },
  gives: { code: text() },
  sql: 'select l.code from aml_value_lists l where l.code = any ($codes)',
});

/** Whether a live rule reads a list. */
export const liveRulesOf = statement({
  name: 'liveRulesOf',
  takes: { code: text() },
  gives: { code: text() },
  sql: `
    select r.code from aml_rules r join aml_rule_versions v on v.rule_id = r.id and v.version = r.version
     where r.status = 'live' and strpos(v.condition::text, '{"list": "' || $code || '"}') > 0
     order by r.code`,
});
