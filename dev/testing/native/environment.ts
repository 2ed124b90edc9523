/**
 * The environment in which Jest runs a file of tests: the process itself, instead of a virtual machine. Environment variables are put
 * back after each file.
 */
let shown: typeof Error.prepareStackTrace;

class NativeEnvironment {
  readonly global = globalThis;
  readonly #env = { ...process.env };
  readonly #exit = process.exit;

  async setup(): Promise<void> {
    showPaths();
  }

  async teardown(): Promise<void> {
    for (const name of Object.keys(process.env))
      if (!(name in this.#env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#env);
    process.exit = this.#exit;
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  /** Null, because NativeRuntime loads files with Node's own loader. */
  getVmContext(): null {
    return null;
  }
}

/** Makes stack traces name files by their paths, so that an editor finds them, without the number that NativeRuntime adds. */
function showPaths(): void {
  const { prepareStackTrace: written } = Error;
  if (written === undefined || written === shown) return;
  shown = (error, frames) => String(written(error, frames)).replaceAll(/file:\/\/(\S+)\?run=\d+/g, '$1');
  Error.prepareStackTrace = shown;
}

// what `require` of this module gives
export { NativeEnvironment as 'module.exports' };
