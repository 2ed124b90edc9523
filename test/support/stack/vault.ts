/** What an attacker does not have: the database, the keys. For tests that build tokens the service must not take, or look behind it. */
import { importJWK, SignJWT, type CryptoKey, type JWTHeaderParameters } from 'jose';
import pg from 'pg';
import { createCipher, type Cipher } from '../../../adapters/cipher.ts';
import { loadConfig, type Config } from '../../../config.ts';
import { stack } from './stack.ts';

export interface Vault {
  readonly config: Config;
  readonly cipher: Cipher;
  /** Runs a statement as the owner of the tables. */
  sql(statement: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** The key that signs tokens now. */
  signingKey(): Promise<{
    readonly kid: string;
    readonly key: CryptoKey | Uint8Array;
    readonly publicJwk: object;
  }>;
  /** A token signed with the real key; every part can be made wrong. */
  token(parts: {
    readonly claims: Readonly<Record<string, unknown>>;
    readonly header?: Partial<JWTHeaderParameters>;
    readonly key?: CryptoKey | Uint8Array;
  }): Promise<string>;
  close(): Promise<void>;
}

/** Claims of a token, without looking at its signature. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

export function openVault(): Vault {
  const config = loadConfig(stack.serviceEnv);
  const cipher = createCipher(config.ENCRYPTION_KEYS);
  const pool = new pg.Pool({ connectionString: stack.ownerUrl, max: 2 });
  pool.on('error', () => undefined);
  const sql: Vault['sql'] = async (statement, parameters = []) =>
    (await pool.query<Record<string, unknown>>(statement, [...parameters])).rows;

  const signingKey: Vault['signingKey'] = async () => {
    const { rows } = await pool.query<{ kid: string; sealed: Buffer; publicJwk: object }>(
      `select kid, sealed_private_jwk as sealed, public_jwk as "publicJwk" from signing_keys where state = 'current'`,
    );
    const [stored] = rows;
    if (stored === undefined) throw new Error('the service has no signing key yet');
    const { kid, sealed, publicJwk } = stored;
    const jwk = JSON.parse(cipher.open(sealed, `signing_keys/${kid}`).toString()) as object;
    return { kid, publicJwk, key: await importJWK({ ...jwk, kty: 'EC' }, 'ES256') };
  };

  return {
    config,
    cipher,
    sql,
    signingKey,
    token: async ({ claims, header = {}, key }) => {
      const real = await signingKey();
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: real.kid, ...header })
        .sign(key ?? real.key);
    },
    close: () => pool.end(),
  };
}
