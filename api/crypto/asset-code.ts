/** How requests name a coin. */
import { z } from 'zod';
import { isCoin } from '../../domain/assets.ts';

export const AssetCode = z.string().regex(/^[A-Z0-9]{2,10}$/, 'must be the code of a coin, such as "BTC"');

/** One that the books know. */
export const Coin = AssetCode.refine(isCoin, { message: 'is not a coin of this service' });
