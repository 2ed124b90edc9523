/** Where a running service is, from the same variables that `npm start` reads. */

export interface Addresses {
  readonly api: string;
  readonly inbox: string;
  /** The Temporal Web UI. */
  readonly ui: string;
}

/** The addresses on this machine; a variable that is not set means the usual port. */
export function serviceAddresses(env: NodeJS.ProcessEnv): Addresses {
  const at = (variable: string, usual: string): string => `http://127.0.0.1:${env[variable] ?? usual}`;
  return { api: at('PORT', '3000'), inbox: at('INBOX_PORT', '1080'), ui: at('TEMPORAL_UI_PORT', '8233') };
}
