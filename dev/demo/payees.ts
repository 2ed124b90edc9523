/** Who is paid outside the bank. The businesses are invented; the IBANs are the examples of the IBAN registry (ISO 13616). */

export interface Payee {
  readonly name: string;
  readonly iban: string;
  readonly purpose: string;
}

export const PAYEES: readonly Payee[] = [
  {
    name: 'Stadtwerke Auental GmbH',
    iban: 'DE89370400440532013000',
    purpose: 'Strom, Abschlag, Vertrag 4711',
  },
  { name: 'Électricité du Vallon', iban: 'FR1420041010050500013M02606', purpose: 'Facture 2210' },
  { name: 'Fietsenwinkel De Ketting', iban: 'NL91ABNA0417164300', purpose: 'Fietsreparatie' },
  { name: 'Academia Sol y Mar', iban: 'ES9121000418450200051332', purpose: 'Curso de español' },
  { name: 'Studio Dentistico Bellomo', iban: 'IT60X0542811101000000123456', purpose: 'Visita di controllo' },
  { name: 'Berghotel Steinadler', iban: 'AT611904300234573201', purpose: 'Anzahlung Zimmer 12' },
  { name: 'Boekhandel Papier & Inkt', iban: 'BE68539007547034', purpose: 'Bestelling 88-31' },
  { name: 'Claddagh Language School', iban: 'IE29AIBK93115212345678', purpose: 'Course fee' },
  { name: 'Padaria do Largo', iban: 'PT50000201231234567890154', purpose: 'Encomenda' },
  { name: 'Järvenranta Oy', iban: 'FI2112345600000785', purpose: 'Mökin vuokra' },
  { name: 'Przedszkole Pod Dębem', iban: 'PL61109010140000071219812874', purpose: 'Czesne' },
  { name: 'Nordkraft Energi AB', iban: 'SE4550000000058398257466', purpose: 'Elräkning' },
];

/** Abroad, where there are no IBANs. */
export const AMERICAN = {
  account: '4400127781',
  bic: 'FRNTUS4BXXX',
  country: 'US',
  name: 'Prairie Piano Works',
} as const;
