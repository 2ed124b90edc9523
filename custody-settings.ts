/** Settings of the custodian of coins. */
import { port } from './setting-kinds.ts';

export const custodySettings = {
  CUSTODIAN_CONTROL_PORT: port
    .optional()
    .describe(
      'port on loopback at which the sandbox custodian is controlled, and to which /v1/sandbox/custodian leads; `npm start` sets it to 7073; refused in production',
    ),
};
