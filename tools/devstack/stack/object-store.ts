/** An S3-compatible store of our own on loopback, with its bucket. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'minio';
import { acquire, findExecutable } from '../binaries/acquire.ts';
import { seaweedfs, versitygw } from '../binaries/object-store.ts';
import type { Say } from '../binaries/run-tool.ts';
import { lastLines, startChild, type Child, type ChildSpec } from '../process/child.ts';
import { answers } from '../process/ports.ts';

export interface ObjectStoreOptions {
  readonly folder: string;
  readonly port: number;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly bucket: string;
  readonly runFolder: string;
  /** SIGKILL where nothing is kept. */
  readonly stopSignal: 'SIGTERM' | 'SIGKILL';
  readonly logFile: string;
  readonly say: Say;
  /** Further ports, for a store that needs more than one. */
  nextPort(): Promise<number>;
}

type Command = Pick<ChildSpec, 'command' | 'args' | 'env' | 'stopSignal'>;

const BUCKET_PATIENCE_MS = 30_000;

/** Starts the store and answers once its bucket is there. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<Child> {
  mkdirSync(options.folder, { recursive: true });
  const child = await startChild({
    stopSignal: options.stopSignal,
    ...(await chooseStore(options)),
    name: 'Object store',
    cwd: options.folder,
    output: { file: options.logFile },
    runFolder: options.runFolder,
  });
  if (await answers(options.port, child.hasEnded)) {
    await ensureBucket(options);
    return child;
  }
  await child.stop();
  throw new Error(`The object store did not start; ${options.logFile} ends:\n${lastLines(options.logFile)}`);
}

/** versitygw, unless only SeaweedFS can be had. What is on the machine already is taken before anything is fetched. */
async function chooseStore(options: ObjectStoreOptions): Promise<Command> {
  const present = findExecutable(versitygw);
  if (present !== undefined) return versitygwCommand(present.path, options);
  const other = findExecutable(seaweedfs);
  if (other?.from === 'cache') return seaweedfsCommand(other.path, options);
  try {
    return versitygwCommand(await acquire(versitygw, options.say), options);
  } catch (error) {
    const second = await acquire(seaweedfs, options.say).catch((reason: unknown) => {
      throw new AggregateError([error, reason], `${messageOf(error)}\n${messageOf(reason)}`);
    });
    return seaweedfsCommand(second, options);
  }
}

function versitygwCommand(command: string, options: ObjectStoreOptions): Command {
  const objects = join(options.folder, 'objects');
  // beside the objects, not in extended attributes, which not every file system has
  const metadata = join(options.folder, 'metadata');
  for (const folder of [objects, metadata]) mkdirSync(folder, { recursive: true });
  const where = ['--port', `127.0.0.1:${options.port}`, '--region', options.region];
  // pages of other origins may PUT to a presigned address; the signature is what admits them
  const access = ['--cors-allow-origin', '*', '--disable-acl', '--quiet'];
  return {
    command,
    args: [...where, ...access, 'posix', '--sidecar', metadata, objects],
    // secrets by environment: a command line can be read by everybody on the machine
    env: {
      PATH: process.env['PATH'],
      ROOT_ACCESS_KEY_ID: options.accessKey,
      ROOT_SECRET_ACCESS_KEY: options.secretKey,
    },
  };
}

async function seaweedfsCommand(command: string, options: ObjectStoreOptions): Promise<Command> {
  const identities = [
    {
      name: 'teller',
      credentials: [{ accessKey: options.accessKey, secretKey: options.secretKey }],
      actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
    },
  ];
  const config = join(options.folder, 'identities.json');
  writeFileSync(config, JSON.stringify({ identities }), { mode: 0o600 });
  const data = join(options.folder, 'volumes');
  mkdirSync(data, { recursive: true });
  const ports = ['master', 'volume', 'filer'].map(async (part) => [
    `-${part}.port=${await options.nextPort()}`,
    `-${part}.port.grpc=${await options.nextPort()}`,
  ]);
  return {
    command,
    args: [
      ...['server', '-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-dir=${data}`, '-master.volumeSizeLimitMB=64'],
      ...[
        '-s3',
        `-s3.port=${options.port}`,
        `-s3.port.grpc=${await options.nextPort()}`,
        `-s3.config=${config}`,
      ],
      ...['-filer', ...(await Promise.all(ports)).flat()],
    ],
    env: { PATH: process.env['PATH'] },
    // it does not end on SIGTERM
    stopSignal: 'SIGKILL',
  };
}

/** The port answers before the store is ready, so the first refusals do not count. */
async function ensureBucket(options: ObjectStoreOptions): Promise<void> {
  const client = new Client({
    endPoint: '127.0.0.1',
    port: options.port,
    useSSL: false,
    accessKey: options.accessKey,
    secretKey: options.secretKey,
    region: options.region,
  });
  const deadline = performance.now() + BUCKET_PATIENCE_MS;
  for (;;) {
    try {
      if (!(await client.bucketExists(options.bucket)))
        await client.makeBucket(options.bucket, options.region);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(200);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
