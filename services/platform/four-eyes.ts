/**
 * What an operation says so that its loosening changes wait for a second administrator. The frame carries the change out, compares the
 * state after it with the state before it, and takes it back if it loosens: what is judged is what the change does, not what its
 * request seems to ask for.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Config } from '../../config.ts';
import type { AuditState } from '../../db/schema/platform.ts';
import type { UserId } from '../../domain/ids.ts';
import { versionOf } from '../../domain/versions.ts';

/** Which call of the operation. `newId` is the id of what it makes. */
export interface Place<Params> {
  readonly params: Params;
  readonly newId: string;
}

/** How one operation is guarded. `State` is what a change of it could loosen. */
export interface FourEyes<Params, State> {
  /** What a change is about. One change of it by this operation waits at a time. */
  readonly resource: (at: Place<Params>) => readonly [type: string, id: string];
  /** The state as it is now; null if there is none. */
  readonly state: (db: EntityManager, at: Place<Params>) => Promise<State | null>;
  /** True if the bank is less careful after the change. */
  readonly loosens: (before: State | null, after: State | null, config: Config) => boolean;
  /** The state as administrators may see it: without secrets, with personal data masked. Its hash is the version of the resource. */
  readonly shown: (state: State) => AuditState;
  /** Whoever gains by the change and so cannot approve it; null for nobody. */
  readonly concerns?: (state: State) => UserId | null;
}

/** What a change did, as it is recorded. */
export interface Judged {
  readonly loosens: boolean;
  readonly before: AuditState | null;
  readonly after: AuditState | null;
  readonly concerns: UserId | null;
}

/** A resource that was looked at before a change. */
export interface Watched {
  readonly etag: string;
  /** Looks at it again after the change. `answer` is what the operation answered. */
  judge(db: EntityManager, answer: AuditState | null): Promise<Judged>;
}

/** The guard of an operation for one call of it. */
export interface Guard {
  resource(newId: string): readonly [type: string, id: string];
  /** `view` reads what the API answers of the resource. */
  watch(
    db: EntityManager,
    newId: string,
    view: (db: EntityManager) => Promise<AuditState | null>,
  ): Promise<Watched>;
}

/** A guard before the call is known; the type of its state is sealed inside. */
export type Guarding<Params> = (params: Params, config: Config) => Guard;

/** Declares how an operation is guarded. */
export function fourEyes<Params, State>(rules: FourEyes<Params, State>): Guarding<Params> {
  const { loosens, state, concerns } = rules;
  const shown = (found: State | null): AuditState | null => (found === null ? null : rules.shown(found));
  return (params, config) => ({
    resource: (newId) => rules.resource({ params, newId }),
    async watch(db, newId) {
      const before = await state(db, { params, newId });
      return {
        etag: versionOfState(shown(before)),
        async judge(changed) {
          const after = await state(changed, { params, newId });
          const one = after ?? before;
          return {
            loosens: loosens(before, after, config),
            before: shown(before),
            after: shown(after),
            concerns: one === null ? null : (concerns?.(one) ?? null),
          };
        },
      };
    },
  });
}

/** The rule of an operation each of whose changes waits, whichever way it goes: whether anything that is shown differs. */
export const anyChange =
  <State>(shown: FourEyes<unknown, State>['shown']): FourEyes<unknown, State>['loosens'] =>
  (before, after) =>
    versionOfState(before && shown(before)) !== versionOfState(after && shown(after));

/** The version of a state is that of what is shown of it. */
export function versionOfState(shown: AuditState | null): string {
  return versionOf(JSON.stringify(shown));
}
