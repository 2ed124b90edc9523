/** The workflows as one script for the sandbox. Built once a process; tests and replays use the same. */
import { bundleWorkflowCode, type BundlerPlugin, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Takes about a second. */
export function bundleWorkflows(
  workflowsPath = path('../workflows/index.ts'),
  plugins: BundlerPlugin[] = [],
): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({
    workflowsPath,
    plugins,
    workflowInterceptorModules: [path('../workflows/seals.ts')],
    failureConverterPath: path('../adapters/failure-converter.ts'),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
}
