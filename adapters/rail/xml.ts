/** Payment files as trees: written with everything escaped, read strictly, with nothing loaded from outside. */
import { ParseOption, XmlDocument, XmlElement } from 'libxml2-wasm';

/** An element: its name, its text or children, and its attributes. */
export type Tree = readonly [
  name: string,
  content: string | readonly (Tree | null)[],
  attributes?: Readonly<Record<string, string>>,
];

/** Writes a document of one namespace. Children that are null are left out. */
export function writeXml(namespace: string, [name, content]: Tree): Buffer {
  const document = XmlDocument.create();
  try {
    fill(document.createRoot(name, namespace), content);
    return Buffer.from(document.toString());
  } finally {
    document.dispose();
  }
}

function fill(element: XmlElement, content: Tree[1]): void {
  if (typeof content === 'string') {
    element.addText(content);
    return;
  }
  for (const child of content) {
    if (child === null) continue;
    const [name, inside, attributes = {}] = child;
    const added = element.addElement(name);
    for (const [attribute, value] of Object.entries(attributes)) added.setAttr(attribute, value);
    fill(added, inside);
  }
}

/** What a file holds cannot be used; the message names no value of it. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}

/** One element of a file that is read, for as long as the file is open. */
export interface Reading {
  /** The elements at a path of names below it: `OrgnlPmtInfAndSts/TxInfAndSts`. */
  all(path: string): Reading[];
  /** The text at a path; undefined where it is not there or empty. Throws FileFault where it is there more than once. */
  text(path: string): string | undefined;
  /** The text at a path. Throws FileFault where it is not there. */
  needed(path: string): string;
  /** The value of an attribute of the only element at a path. */
  attribute(path: string, name: string): string | undefined;
}

/**
 * Reads a file in UTF-8 whose root is `Document` of one of the namespaces, and answers what `look` makes of the root. Throws
 * FileFault where it is not well-formed, declares a DTD (no payment file does; entities live there) or is something else.
 */
export function readXml<Namespace extends string, T>(
  bytes: Buffer,
  namespaces: readonly Namespace[],
  look: (root: Reading, namespace: Namespace) => T,
): T {
  const document = parse(bytes);
  try {
    if (document.dtd !== null) throw new FileFault('it declares a DTD');
    const { root } = document;
    const namespace = namespaces.find((known) => known === root.namespaceUri);
    if (namespace === undefined || root.name !== 'Document')
      throw new FileFault('it is no message that is known here');
    return look(reading(root, namespace), namespace);
  } finally {
    document.dispose();
  }
}

function parse(bytes: Buffer): XmlDocument {
  try {
    const option = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET;
    return XmlDocument.fromBuffer(bytes, { encoding: 'utf-8', option });
  } catch {
    // the library's message quotes the file
    throw new FileFault('it is not well-formed XML');
  }
}

function reading(element: XmlElement, namespace: string): Reading {
  const find = (path: string): XmlElement[] => {
    const xpath = path.replace(/[^/]+/g, 'n:$&');
    return element.find(xpath, { n: namespace }).filter((found) => found instanceof XmlElement);
  };
  const only = (path: string): XmlElement | undefined => {
    const [first, second] = find(path);
    if (second !== undefined) throw new FileFault(`${path} is there more than once`);
    return first;
  };
  const text = (path: string): string | undefined => only(path)?.content.trim() || undefined;
  return {
    all: (path) => find(path).map((found) => reading(found, namespace)),
    text,
    needed: (path) => {
      const found = text(path);
      if (found === undefined) throw new FileFault(`${path} is missing`);
      return found;
    },
    attribute: (path, name) => only(path)?.attr(name)?.value,
  };
}
