/** How requests name a coin. */
import { z } from 'zod';

export const AssetCode = z.string().regex(/^[A-Z0-9]{2,10}$/, 'must be the code of a coin, such as "BTC"');
