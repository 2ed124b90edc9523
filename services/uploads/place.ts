/** What a file can belong to, such as a message of a ticket. Files come in the same way everywhere; a place says what is its own. */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Deed } from '../../db/queries/platform/audit.ts';
import type { FileRow } from '../../db/queries/uploads/uploads.ts';
import type { Person } from '../../domain/actor.ts';
import type { UploadId } from '../../domain/ids.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { UploadKind } from '../../domain/uploads.ts';
import type { Call } from '../callers.ts';

/** A call by which a person announces a file or hands it in. */
export interface HandingIn<Code extends RefusalCode> extends Call<Code> {
  readonly actor: Person;
  /** The file's id, the same for every repeat. */
  readonly newId: string;
}

/** `Thing` is what the file belongs to, as the database knows it; `Code` are the refusals that the place adds to those of uploads. */
export interface Place<Thing, File extends FileRow, Code extends RefusalCode> {
  /** `identity` if its files prove who somebody is: they are decoded before they are kept. Absent: `file`. */
  readonly kind?: UploadKind;
  /** Finds the thing. Refuses not_found unless the caller may see it. */
  readonly find: (call: Pick<HandingIn<never>, 'db' | 'actor'>) => Promise<Thing>;
  /** Locks the thing until the transaction ends, and reads it anew. */
  readonly lock: (db: EntityManager, thing: Thing) => Promise<Thing>;
  /** Refuses unless the thing takes one more file from the caller. It is locked, so that two files at once cannot both be the last. */
  readonly admit: (call: HandingIn<Code>, thing: Thing) => Promise<void>;
  /** Ties an upload to the thing, which is locked. */
  readonly tie: (db: EntityManager, thing: Thing, id: UploadId) => Promise<void>;
  /** One file, if it belongs to the thing. */
  readonly file: (db: EntityManager, thing: Thing, id: UploadId) => Promise<File | undefined>;
  /** What the audit log says of a file that is to come; null if it says nothing. */
  readonly deed: (thing: Thing, id: UploadId) => Deed | null;
}
