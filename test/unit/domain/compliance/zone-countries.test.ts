/** Countries of machine-readable zones: complete, and the same as the states that `mrz` knows. */
import { expect, test } from '@jest/globals';
import { states } from 'mrz';
import { isCountry } from '../../../../domain/standards/countries.ts';
import { countryOfZone } from '../../../../domain/standards/zone-countries.ts';

/** Codes of `mrz` that mean no country of ISO 3166-1, among them two that ISO has withdrawn. */
const NO_COUNTRY =
  'ANT EUE NTZ RKS UNA UNK UNO XBA XCC XCE XCO XDC XEC XES XIM XOM XPO XXA XXB XXC XXK XXX'.split(' ');
const SPECIAL = ['D', 'GBD', 'GBN', 'GBO', 'GBP', 'GBS'];

test('every state of the package is a country, or is known to be none', () => {
  const without = Object.keys(states).filter((code) => countryOfZone(code) === null);
  expect(without.toSorted()).toEqual(NO_COUNTRY);
});

test('every country of ISO 3166-1 has one code of three letters', () => {
  const countries = Object.keys(states)
    .filter((code) => !SPECIAL.includes(code))
    .map(countryOfZone)
    .filter((country) => country !== null);
  expect(countries).toHaveLength(249);
  expect(new Set(countries).size).toBe(249);
  expect(countries.filter((country) => !isCountry(country))).toEqual([]);
});

// the ones whose three letters do not begin with their two, or begin with those of another country
test.each(
  (
    'AGO:AO AIA:AI AND:AD ARE:AE ARM:AM ATA:AQ ATF:TF ATG:AG AUS:AU AUT:AT BDI:BI BEL:BE BEN:BJ BGD:BD BGR:BG BHS:BS BIH:BA ' +
    'BLR:BY BLZ:BZ BRB:BB CHE:CH CHL:CL CHN:CN COD:CD COG:CG COM:KM CPV:CV CYM:KY DNK:DK ESH:EH EST:EE FLK:FK FRO:FO ' +
    'FSM:FM GIN:GN GNB:GW GNQ:GQ GRD:GD GRL:GL GUF:GF GUY:GY IRL:IE IRQ:IQ ISR:IL JAM:JM KOR:KR LBR:LR LBY:LY MAC:MO ' +
    'MAF:MF MCO:MC MDG:MG MDV:MV MEX:MX MLT:MT MMR:MM MNE:ME MNP:MP MOZ:MZ MTQ:MQ MYT:YT NIU:NU PAK:PK PCN:PN PLW:PW ' +
    'PNG:PG POL:PL PRK:KP PRT:PT PRY:PY PYF:PF REU:RE SEN:SN SGS:GS SLV:SV SPM:PM SRB:RS STP:ST SUR:SR SVK:SK SVN:SI ' +
    'SWE:SE SWZ:SZ SYC:SC TCD:TD TKM:TM TUN:TN TUR:TR TUV:TV UKR:UA URY:UY WLF:WF WSM:WS D:DE GBD:GB'
  )
    .split(' ')
    .map((pair) => pair.split(':')),
)('%s is %s', (code, country) => {
  expect(countryOfZone(code ?? '')).toBe(country);
});

test.each(['', 'DE', 'd', 'UTO', 'toString', '__proto__'])('%j is no country', (code) => {
  expect(countryOfZone(code)).toBeNull();
});
