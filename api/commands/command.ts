/** How the operator's commands of this folder end. */
import { ConfigError } from '../../config.ts';

/**
 * Runs a command. What the operator can mend by other arguments or settings is said in one line, with exit code 1; anything else is thrown.
 * @param sayable - the message of another error that is the operator's to mend; undefined for any other
 */
export async function runCommand(
  main: () => Promise<void>,
  sayable: (error: unknown) => string | undefined = () => undefined,
): Promise<void> {
  try {
    await main();
  } catch (error) {
    const message = error instanceof ConfigError ? error.message : sayable(error);
    if (message === undefined) throw error;
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
  }
}
