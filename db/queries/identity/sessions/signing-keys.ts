/** The keys that sign tokens: `next` is published before it signs, `retiring` until the last token it signed has died. */
import { bigint, boolean, seconds, type RowOf } from '../../../rows/columns.ts';
import { statement } from '../../../rows/statement.ts';
import { columnsOf, selectList } from '../../../rows/table-columns.ts';
import { SigningKey } from '../../../schema/identity.ts';

const storedKey = columnsOf(SigningKey, 'kid', 'state', 'publicJwk', 'sealedPrivateJwk');
/** A key as it is kept; `kid` is its RFC 7638 thumbprint. */
export type StoredKey = RowOf<typeof storedKey>;

/** The advisory lock under which keys are made and rotated. The transaction holds it until it ends. */
export const lockSigningKeys = statement({
  name: 'lockSigningKeys',
  takes: { lock: bigint() },
  gives: {},
  sql: 'select from pg_advisory_xact_lock($lock)',
});

/** All keys that sign or verify now. */
export const storedKeys = statement({
  name: 'storedKeys',
  gives: storedKey,
  sql: `
    select ${selectList(storedKey, 'k')} from signing_keys k
     where state <> 'retiring' or retires_at > now() order by created_at`,
});

export const hasSigningKey = statement({
  name: 'hasSigningKey',
  takes: columnsOf(SigningKey, 'state'),
  gives: { present: boolean() },
  sql: 'select exists (select from signing_keys where state = $state) as present',
});

export const insertSigningKey = statement({
  name: 'insertSigningKey',
  takes: storedKey,
  gives: {},
  sql: `
    insert into signing_keys (kid, state, public_jwk, sealed_private_jwk, signing_since)
    values ($kid, $state, $publicJwk, $sealedPrivateJwk, case when $state = 'current' then now() end)`,
});

/** The current key retires, unless it has signed for less than the minimum; zero is no minimum. */
export const retireCurrentKey = statement({
  name: 'retireCurrentKey',
  takes: { retiringSeconds: seconds(), minimumSeconds: seconds() },
  gives: columnsOf(SigningKey, 'kid'),
  sql: `
    update signing_keys
       set state = 'retiring', retires_at = now() + make_interval(secs => $retiringSeconds)
     where state = 'current' and ($minimumSeconds::double precision = 0
        or signing_since <= now() - make_interval(secs => $minimumSeconds))
    returning kid`,
});

/** The next key signs from now on. */
export const signWithNextKey = statement({
  name: 'signWithNextKey',
  gives: columnsOf(SigningKey, 'kid'),
  sql: `update signing_keys set state = 'current', signing_since = now() where state = 'next' returning kid`,
});

/** Removes keys whose last token has died. */
export const deleteRetiredKeys = statement({
  name: 'deleteRetiredKeys',
  gives: {},
  sql: 'delete from signing_keys where retires_at < now()',
});

export const deleteSigningKeys = statement({
  name: 'deleteSigningKeys',
  gives: columnsOf(SigningKey, 'kid'),
  sql: 'delete from signing_keys returning kid',
});
