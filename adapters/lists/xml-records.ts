/** Records of a large XML file, one at a time: memory holds one of them and what the parser needs. */
import { createReadStream } from 'node:fs';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { ListFault } from '../../domain/screening/lists.ts';

/** An element with what is in it. Names come without their namespace. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

function opened(tag: SaxesTagPlain): Element {
  const attributes = Object.fromEntries(
    Object.entries(tag.attributes).map(([key, value]) => [local(key), value]),
  );
  return { name: local(tag.name), attributes, children: [], text: '' };
}

/** The root with its attributes and then each record. Throws a ListFault with the line where the file is broken or ends too early. */
export async function* xmlRecords(path: string, records: ReadonlySet<string>): AsyncGenerator<Element> {
  const parser = new SaxesParser({ xmlns: false });
  const path_: Element[] = [];
  const done: Element[] = [];
  let within = 0;
  let seen = 0;
  let fault: ListFault | undefined;
  parser.on('error', (error) => {
    fault ??= new ListFault(parser.line, error.message.replace(/^\d+:\d+: /, ''));
  });
  parser.on('doctype', () => {
    fault ??= new ListFault(parser.line, 'a document type is not allowed');
  });
  parser.on('opentag', (tag) => {
    const element = opened(tag);
    if (seen++ === 0) done.push(element);
    if (within > 0) path_.at(-1)?.children.push(element);
    if (within > 0 || records.has(element.name)) {
      within += 1;
      path_.push(element);
    }
  });
  const text = (part: string): void => {
    const top = path_.at(-1);
    if (top !== undefined) top.text += part;
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', () => {
    if (within === 0) return;
    within -= 1;
    const element = path_.pop();
    if (within === 0 && element !== undefined) done.push(element);
  });
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 14 })) {
    parser.write(String(chunk));
    if (fault !== undefined) throw fault;
    yield* done.splice(0);
  }
  const last = parser.line;
  try {
    parser.close();
  } catch {
    throw new ListFault(last, 'the file ends too early');
  }
  if (fault !== undefined) throw new ListFault(last, 'the file ends too early');
  if (seen === 0) throw new ListFault(1, 'the file is empty');
  yield* done.splice(0);
}

/** The text of the first child of this name; undefined for none or an empty one. */
export function textOf(element: Element | undefined, name: string): string | undefined {
  const text = element?.children.find((child) => child.name === name)?.text.trim();
  return text === '' ? undefined : text;
}

/** The children of this name. */
export function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The first element at this path of names. */
export function at(element: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce<Element | undefined>(
    (found, name) => found?.children.find((child) => child.name === name),
    element,
  );
}

/** Every element below that has this name. */
export function below(element: Element, name: string): readonly Element[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...below(child, name),
  ]);
}
