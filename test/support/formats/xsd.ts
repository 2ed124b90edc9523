/** The official schemas of ISO 20022, asked whether a file is what it says. */
import { ParseOption, XmlDocument, XmlLibError, XsdValidator } from 'libxml2-wasm';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCHEMAS = join(import.meta.dirname, '..', '..', 'fixtures', 'iso20022');

/** The messages whose schema is among the fixtures. */
export type MessageType = 'pain.001.001.09' | 'pain.002.001.12' | 'camt.053.001.08' | 'camt.054.001.08';

const validators = new Map<MessageType, XsdValidator>();

/** What the schema has against the file, a line each; nothing where it is valid. */
export function violations(type: MessageType, xml: Buffer | string): string[] {
  const document = XmlDocument.fromBuffer(Buffer.from(xml), { option: ParseOption.XML_PARSE_NO_XXE });
  try {
    validatorOf(type).validate(document);
    return [];
  } catch (error) {
    if (error instanceof XmlLibError) return error.message.trim().split('\n');
    throw error;
  } finally {
    document.dispose();
  }
}

/** Compiled once a test file: it takes a few hundredths of a second. */
function validatorOf(type: MessageType): XsdValidator {
  const known = validators.get(type);
  if (known !== undefined) return known;
  const schema = XmlDocument.fromBuffer(readFileSync(join(SCHEMAS, `${type}.xsd`)));
  const validator = XsdValidator.fromDoc(schema);
  schema.dispose();
  validators.set(type, validator);
  return validator;
}
