/** Asking for statements of account, and reading them. */
import { expect } from '@jest/globals';
import { TransactionStatementList } from '../../../api/statements/schemas.ts';
import { written } from '../../../api/wire/rows.ts';
import type { Person } from './bank.ts';
import { readPdf, type PdfContent } from '../formats/pdf.ts';
import { stack } from '../stack/stack.ts';

export type Days = Readonly<Record<string, string>>;

/** The statement of the owner's account as it came, of which it is expected that it is given. */
export async function statementAs(
  accept: string,
  owner: Person,
  account: { readonly id: string },
  days: Days,
): Promise<{ bytes: Buffer; headers: Headers }> {
  const url = `${stack.api}/v1/accounts/${account.id}/statement?${new URLSearchParams(days).toString()}`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${owner.token}`, Accept: accept } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect({ status: answer.status, said: answer.ok ? '' : bytes.toString() }).toEqual({
    status: 200,
    said: '',
  });
  return { bytes, headers: answer.headers };
}

export async function listed(owner: Person, account: { readonly id: string }, days: Days) {
  const { bytes } = await statementAs('application/json', owner, account, days);
  return written(TransactionStatementList, TransactionStatementList.parse(JSON.parse(bytes.toString())));
}

/** The lines of the CSV, each as its cells by column. */
export async function spreadsheet(
  owner: Person,
  account: { readonly id: string },
  days: Days,
): Promise<Record<string, string>[]> {
  const { bytes } = await statementAs('text/csv', owner, account, days);
  const [head = [], ...rows] = cells(bytes.toString().replace(/^\uFEFF/, ''));
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ''])));
}

export async function message(owner: Person, account: { readonly id: string }, days: Days): Promise<string> {
  return (await statementAs('application/xml', owner, account, days)).bytes.toString();
}

export async function printed(
  owner: Person,
  account: { readonly id: string },
  days: Days,
): Promise<PdfContent> {
  return readPdf((await statementAs('application/pdf', owner, account, days)).bytes);
}

/** RFC 4180, strictly: a reader of our own, so that the writer is not its own judge. */
function cells(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let found = cell.exec(text); found !== null; found = cell.exec(text)) {
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}
