/** What `dev/testing/test-stack.ts` has started, as the tests see it. */
import { z } from 'zod';
import { banksOf } from '../../../dev/testing/banks.ts';
import { environment } from '../../../environment.ts';

const Variables = z.object({
  TELLER_TEST_API: z.url(),
  TELLER_TEST_FOLDER: z.string(),
  TELLER_TEST_RUN_FOLDER: z.string(),
  TELLER_TEST_TIME_SKIPPING_SERVER: z.string(),
  TELLER_TEST_CUSTODIAN_CONTROL: z.url(),
  TELLER_TEST_PRICES: z.url(),
  WORKFLOW_BUNDLE: z.string(),
  DATABASE_URL: z.url(),
  DATABASE_OWNER_URL: z.url(),
  TEMPORAL_ADDRESS: z.string(),
  TEMPORAL_NAMESPACE: z.string(),
  TEMPORAL_UI_URL: z.url(),
  S3_ENDPOINT: z.url(),
  S3_BUCKET: z.string(),
  SMTP_URL: z.url(),
  INBOX_URL: z.url(),
});

export interface TestStack {
  /** Address of the API of this worker's bank. */
  readonly api: string;
  /** PostgreSQL as the role of the application, and as the owner of the tables. */
  readonly databaseUrl: string;
  readonly ownerUrl: string;
  /** The databases of all banks, as the owner of the tables: for what asks about all tests together. */
  readonly ownerUrls: readonly string[];
  readonly temporal: { readonly address: string; readonly namespace: string; readonly uiUrl: string };
  readonly storage: { readonly endpoint: string; readonly bucket: string };
  /** Address of the inbox's page and REST API, and of its SMTP server. */
  readonly inboxUrl: string;
  readonly smtpUrl: string;
  /** Where the sandbox custodian that all banks share is controlled. */
  readonly custodianControl: string;
  /** Address of the sandbox price sources that all banks share, and of their control. */
  readonly prices: string;
  /** Executable of Temporal's time-skipping test server. */
  readonly timeSkippingServer: string;
  /** The bundled workflows, in a file. */
  readonly workflowBundle: string;
  /** A folder for files of this run; removed afterwards. */
  readonly folder: string;
  /** Where a process that a test starts is written down, so that it cannot outlive the run. */
  readonly runFolder: string;
  /** The environment of API and worker of this worker's bank, for tests that start more of them. */
  readonly serviceEnv: NodeJS.ProcessEnv;
}

/** Read once; a test that runs without the stack learns how to run it. */
export const stack: TestStack = read(process.env);

/** A worker of Jest has a bank of its own if there are as many; otherwise some share one. */
function read(all: NodeJS.ProcessEnv): TestStack {
  const banks = banksOf(all);
  const env = banks[(Number(all['JEST_WORKER_ID'] ?? 1) - 1) % banks.length] ?? all;
  const parsed = Variables.safeParse(env);
  if (!parsed.success) {
    const missing = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw new Error(`These tests need their stack: run them with \`npm test\`. Missing: ${missing}`);
  }
  const found = parsed.data;
  const names = ['PATH', 'HOME', ...Object.keys(environment.shape)];
  return {
    api: found.TELLER_TEST_API,
    databaseUrl: found.DATABASE_URL,
    ownerUrl: found.DATABASE_OWNER_URL,
    ownerUrls: banks.map(({ DATABASE_OWNER_URL = '' }) => DATABASE_OWNER_URL),
    temporal: {
      address: found.TEMPORAL_ADDRESS,
      namespace: found.TEMPORAL_NAMESPACE,
      uiUrl: found.TEMPORAL_UI_URL,
    },
    storage: { endpoint: found.S3_ENDPOINT, bucket: found.S3_BUCKET },
    inboxUrl: found.INBOX_URL,
    smtpUrl: found.SMTP_URL,
    custodianControl: found.TELLER_TEST_CUSTODIAN_CONTROL,
    prices: found.TELLER_TEST_PRICES,
    timeSkippingServer: found.TELLER_TEST_TIME_SKIPPING_SERVER,
    workflowBundle: found.WORKFLOW_BUNDLE,
    folder: found.TELLER_TEST_FOLDER,
    runFolder: found.TELLER_TEST_RUN_FOLDER,
    serviceEnv: Object.fromEntries(
      names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    ),
  };
}
