/** The connection to Temporal as a client. */
import {
  Client,
  Connection,
  isGrpcServiceError,
  type ClientPlugin,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { namedUpdate } from '../domain/seals.ts';
import { encryptingCodec } from './codec.ts';
import type { Cipher } from './cipher.ts';
import { partFailures } from './metrics.ts';

/** Client and worker must convert alike: every payload encrypted, failures included. */
export function dataConverter(cipher: Cipher): DataConverter {
  return {
    payloadCodecs: [encryptingCodec(cipher)],
    failureConverterPath: fileURLToPath(new URL('./failure-converter.ts', import.meta.url)),
  };
}

/** Every client of ours names its updates within the seal; workflows/seals.ts reads it. */
export const sealedUpdates: WorkflowClientInterceptor = {
  startUpdate: (input, next) => next({ ...input, args: namedUpdate(input.updateName, input.args) }),
  startUpdateWithStart: (input, next) =>
    next({ ...input, updateArgs: namedUpdate(input.updateName, input.updateArgs) }),
};

export interface Temporal {
  readonly client: Client;
  /** Every call stands under a deadline: the client's own retries would hold a request for half a minute. */
  within<T>(milliseconds: number, call: () => Promise<T>): Promise<T>;
  /** Answers once the server has answered; throws where it does not in time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Where Temporal is and how it knows us: alike for clients and workers. Throws if a file of a certificate cannot be read. */
export function connectionOptions(
  config: Pick<
    Config,
    | 'TEMPORAL_ADDRESS'
    | 'TEMPORAL_TLS'
    | 'TEMPORAL_TLS_CA'
    | 'TEMPORAL_TLS_SERVER_NAME'
    | 'TEMPORAL_TLS_CERT'
    | 'TEMPORAL_TLS_KEY'
    | 'TEMPORAL_API_KEY'
  >,
) {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_SERVER_NAME: name, TEMPORAL_API_KEY: apiKey } = config;
  const { TEMPORAL_TLS_CERT: certificate, TEMPORAL_TLS_KEY: key } = config;
  const isWanted = config.TEMPORAL_TLS || [ca, name, certificate, apiKey].some((set) => set !== undefined);
  const tls = {
    ...(ca === undefined ? {} : { serverRootCACertificate: readFileSync(ca) }),
    ...(name === undefined ? {} : { serverNameOverride: name }),
    ...(certificate === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: readFileSync(certificate), key: readFileSync(key) } }),
  };
  return {
    address: config.TEMPORAL_ADDRESS,
    ...(isWanted ? { tls } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

/** Connects lazily: the API starts, and reads go on, while Temporal is away. */
export function connectTemporal(config: Config, cipher: Cipher, plugins: ClientPlugin[] = []): Temporal {
  const connection = Connection.lazy(connectionOptions(config));
  const client = new Client({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: dataConverter(cipher),
    interceptors: { workflow: [sealedUpdates] },
    plugins,
  });
  const underWay = new Set<Promise<unknown>>();
  async function noted<T>(call: Promise<T>): Promise<T> {
    underWay.add(call);
    try {
      return await call;
    } finally {
      underWay.delete(call);
    }
  }
  return {
    client,
    within: (milliseconds, call) => noted(counted(connection.withDeadline(Date.now() + milliseconds, call))),
    ping: async () => {
      await noted(connection.withDeadline(Date.now() + 1_000, () => connection.healthService.check({})));
    },
    // a call that is to be tried again on a connection that is closed throws where nobody can catch it
    async close() {
      await Promise.allSettled(underWay);
      await connection.close();
    },
  };
}

/** gRPC: DEADLINE_EXCEEDED, UNAVAILABLE. */
const UNANSWERED = new Set<number>([4, 14]);

/** Counts the calls that Temporal did not answer. */
async function counted<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const found = isGrpcServiceError(error) ? error : error instanceof Error ? error.cause : undefined;
    if (isGrpcServiceError(found) && UNANSWERED.has(found.code)) partFailures.inc({ part: 'temporal' });
    throw error;
  }
}
