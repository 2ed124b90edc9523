/**
 * Loads the files of tests with Node's own loader. Jest's would load every package anew for each file, which was a third of the time of
 * all tests. Here the files that a worker of Jest runs share the packages, and each has the modules of the project to itself.
 * Jest takes this class by its setting `runtime`; what it asks of it is all here.
 */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const OURS = new URL('../../../', import.meta.url).href;
const PACKAGES = new URL('node_modules/', OURS).href;
const GLOBALS = new URL('globals.ts', import.meta.url).href;

/** Which file of tests of this worker is running: Node takes what it loads under another address for another module. */
let run = 0;
const ownTo = (url: string): string => `${url}?run=${run}`;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: ownTo(GLOBALS), shortCircuit: true };
    const resolved = next(specifier, context);
    const isShared = !resolved.url.startsWith(OURS) || resolved.url.startsWith(PACKAGES);
    return isShared ? resolved : { ...resolved, url: ownTo(resolved.url) };
  },
});

class NativeRuntime {
  constructor() {
    run += 1;
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  async unstable_importModule(path: string): Promise<void> {
    await import(pathToFileURL(path).href);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  /** Loads Jest's framework anew: it keeps in its modules what a file has declared. */
  requireInternalModule(path: string): unknown {
    for (const loaded of Object.keys(require.cache))
      if (loaded.includes('/jest-circus/')) Reflect.deleteProperty(require.cache, loaded);
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    return require(path);
  }

  setGlobalsForRuntime(globals: object): void {
    Object.assign(globalThis, globals);
  }

  /** Node strips types in place, so that lines and columns are those of the source. */
  getSourceMaps(): Map<string, string> {
    return new Map();
  }

  /** Nobody measures coverage. */
  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }

  enterTestCode(): void {}
  leaveTestCode(): void {}
  teardown(): void {}
}

// what `require` of this module gives
export { NativeRuntime as 'module.exports' };
