/**
 * ISO 4217 list one: the codes in use that have minor units, with their scale.
 * Frozen here because published packages lag behind the standard and `Intl` follows CLDR, which differs from ISO
 * in sixteen codes. A new bank is seeded from it; what the service asks for a scale is the table of assets (domain/assets.ts).
 */
const BY_SCALE = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK ' +
    'DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP ' +
    'LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD ' +
    'RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ' +
    'ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
} as const;

/** Scale (digits after the decimal point) of each ISO 4217 currency. */
export const currencyScales: ReadonlyMap<string, number> = new Map(
  Object.entries(BY_SCALE).flatMap(([scale, codes]) =>
    codes.split(' ').map((code) => [code, Number(scale)] as const),
  ),
);
