/** Runs before each file of tests: the code knows the assets of a new bank, as a process does that has read its database. */
import { learnAssets } from '../../domain/assets.ts';
import { currencyScales } from '../../domain/standards/currencies.ts';

learnAssets([...currencyScales].map(([code, scale]) => ({ code, kind: 'fiat', scale })));
// of the coins, those that tests without a database name
learnAssets([{ code: 'BTC', kind: 'crypto', scale: 8 }]);
