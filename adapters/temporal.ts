/** The connection to Temporal as a client. */
import { Client, Connection, type ClientPlugin, type WorkflowClientInterceptor } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { namedUpdate } from '../domain/seals.ts';
import { encryptingCodec } from './codec.ts';
import type { Cipher } from './cipher.ts';

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

/** Connects lazily: the API starts, and reads go on, while Temporal is away. */
export function connectTemporal(config: Config, cipher: Cipher, plugins: ClientPlugin[] = []): Temporal {
  const connection = Connection.lazy({ address: config.TEMPORAL_ADDRESS });
  const client = new Client({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: dataConverter(cipher),
    interceptors: { workflow: [sealedUpdates] },
    plugins,
  });
  return {
    client,
    within: (milliseconds, call) => connection.withDeadline(Date.now() + milliseconds, call),
    ping: async () => {
      await connection.withDeadline(Date.now() + 1_000, () => connection.healthService.check({}));
    },
    close: () => connection.close(),
  };
}
