let shown: typeof Error.prepareStackTrace;

/** The surroundings of a file of tests: the process itself, whose environment is afterwards as it was. */
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

  /** There is none: what runs in it is loaded by NativeRuntime. */
  getVmContext(): null {
    return null;
  }
}

/** Stack traces name the files of the project by their paths, which an editor finds, and not by what NativeRuntime adds to them. */
function showPaths(): void {
  const { prepareStackTrace: written } = Error;
  if (written === undefined || written === shown) return;
  shown = (error, frames) => String(written(error, frames)).replaceAll(/file:\/\/(\S+)\?run=\d+/g, '$1');
  Error.prepareStackTrace = shown;
}

// what `require` of this module gives
export { NativeEnvironment as 'module.exports' };
