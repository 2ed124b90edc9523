/** What the parts of the stack are told about the service: names, keys and addresses, from the same environment that it reads itself. */
import { environment } from '../../environment.ts';
import type { StackSettings } from '../../tools/devstack/stack/stack.ts';

const Settings = environment.pick({
  TEMPORAL_NAMESPACE: true,
  S3_REGION: true,
  S3_BUCKET: true,
  S3_ACCESS_KEY: true,
  S3_SECRET_KEY: true,
});

/** What the Web UI can search processes by; the service sets them in `adapters/temporal.ts`. */
const SEARCH_ATTRIBUTES = ['TellerProcess', 'TellerStatus', 'TellerCustomerId'];

/** An empty variable counts as unset, as in the service's own configuration. */
export function stackSettings(env: NodeJS.ProcessEnv, apiPort: number): StackSettings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const settings = Settings.parse(given);
  return {
    temporal: {
      namespace: settings.TEMPORAL_NAMESPACE,
      searchAttributes: SEARCH_ATTRIBUTES,
      codecEndpoint: `http://127.0.0.1:${apiPort}/v1/admin/codec`,
    },
    storage: {
      region: settings.S3_REGION,
      bucket: settings.S3_BUCKET,
      accessKey: settings.S3_ACCESS_KEY,
      secretKey: settings.S3_SECRET_KEY,
    },
  };
}
