/** What is wrong with a PDF. It is read as far as its structure goes: what it shows is not drawn. */
import { getDocument, PasswordException, VerbosityLevel } from 'unpdf/pdfjs';
import { MAX_DOCUMENT_PAGES, type DocumentFault } from '../../domain/uploads.ts';
import { namesIn } from './pdf-names.ts';

const HEAD = '%PDF-';
/** Actions and forms that run something (ISO 32000-1 §12.6.4; OnInstantiate §13.6.7, XFA §12.7.8, RichMedia ISO 32000-2 §13.7). */
const SCRIPTS = ['JavaScript', 'Launch', 'Rendition', 'OnInstantiate', 'XFA', 'RichMedia'];
/** Files inside (§7.11.4), as a document, an annotation or a portfolio holds them. */
const ATTACHMENTS = ['EmbeddedFile', 'EmbeddedFiles', 'EF', 'FileAttachment', 'Collection'];

/** Undefined if nothing is wrong with it. */
export async function pdfFault(file: Buffer): Promise<DocumentFault | undefined> {
  try {
    return await faultOf(file);
  } catch {
    return 'not_readable';
  }
}

/** Throws if the library cannot read it. */
async function faultOf(file: Buffer): Promise<DocumentFault | undefined> {
  // whatever begins otherwise could be something else to another program
  if (file.toString('latin1', 0, HEAD.length) !== HEAD) return 'not_readable';
  const names = namesIn(file);
  if (names.has('Encrypt')) return 'encrypted';
  const pages = await pagesOf(file);
  if (pages === 'encrypted') return pages;
  if (pages === 0) return 'not_readable';
  if (pages > MAX_DOCUMENT_PAGES) return 'too_many_pages';
  if (SCRIPTS.some((name) => names.has(name))) return 'has_scripts';
  return ATTACHMENTS.some((name) => names.has(name)) ? 'has_attachments' : undefined;
}

/** Finds every page as a viewer would. Throws if it cannot. */
async function pagesOf(file: Buffer): Promise<number | 'encrypted'> {
  const loading = getDocument({
    data: new Uint8Array(file),
    verbosity: VerbosityLevel.ERRORS,
    enableXfa: false,
  });
  try {
    const document = await loading.promise;
    const pages = document.numPages;
    for (let number = 1; number <= Math.min(pages, MAX_DOCUMENT_PAGES); number += 1) {
      const { ref } = await document.getPage(number);
      // the library shows an empty page where it finds none
      if (ref === null) return 0;
    }
    return pages;
  } catch (error) {
    if (error instanceof PasswordException) return 'encrypted';
    throw error;
  }
}
