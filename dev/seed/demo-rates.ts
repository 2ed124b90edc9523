/** Units for one euro, made up. */
export const RATES = { USD: '1.0825', GBP: '0.8437', CHF: '0.9544', JPY: '163.457', KWD: '0.3334' } as const;
export const SPREAD_BPS = '25';
