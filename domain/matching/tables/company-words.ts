/** Words of company names: forms of law, words of any trade, and words for numbers. */

/** Forms of law by country, one form a line, without dots. They say nothing about which company it is. */
const FORMS = `
llc l l c|limited liability company
ltd limited
inc incorporated
corp corporation
co company|compagnie
plc public limited company
llp lp
gmbh gesellschaft mit beschränkter haftung
ag aktiengesellschaft
kg ohg gbr ug kgaa eg
sa societe anonyme|sociedad anonima
sas sasu sarl eurl snc sci
srl spa sapa societa per azioni
sl slu sau
sa de cv
sapi
ltda eireli limitada
bv nv cv vof
ab hb
as asa aps
oy oyj
oo doo dd ad ead ood eood
sp zoo|spolka z oo|spolka z ograniczona odpowiedzialnoscia
sp z oo
sro as akciova spolecnost
kft zrt nyrt bt rt
ooo oao zao pao ao too tov pat prat jsc pjsc ojsc cjsc ooó
ооо оао зао пао ао тоо тов пат
общество с ограниченной ответственностью
sdn bhd|pte pty|pt tbk
kk yk godo kaisha kabushiki gaisha
as anonim sirketi|limited sirketi|sti san tic
fzc fze fz fzco dmcc
sae sal wll bsc
joint stock company|open joint stock company|public joint stock company
شركة مؤسسة
有限公司 股份 株式会社 주식회사
`;

/** Words of any trade: they tell companies apart, but less than a name does. */
const TRADE = `
trading trade general commercial commerce international intl global world worldwide group holding holdings
import export imports exports services service enterprise enterprises enterprize industries industrial industry
bank shipping maritime marine lines line transport transportation logistics airlines airline airways aviation
petroleum oil gas energy chemical chemicals construction engineering technology technologies tech systems
development investment investments finance financial exchange money consulting management national state
first new united east west north south middle central foundation organization organisation society association
institute center centre university factory works plant house movement front army party brigade fleet
handels handel banka banco banque bankasi торговый банк
للتجارة للتجاره العامة
`;

const ALIKE = new Map(
  Object.entries({
    intl: 'international',
    int: 'international',
    tech: 'technology',
    technologies: 'technology',
    centre: 'center',
    organisation: 'organization',
    transportation: 'transport',
    industries: 'industry',
    enterprises: 'enterprise',
    holdings: 'holding',
    services: 'service',
    investments: 'investment',
    chemicals: 'chemical',
    banka: 'bank',
    banco: 'bank',
    banque: 'bank',
    assn: 'association',
    univ: 'university',
    mfg: 'manufacturing',
    bros: 'brothers',
    airways: 'airline',
    airlines: 'airline',
  }),
);

const NUMBERS = [
  'zero null',
  'one first 1st i erste premier primero pervyi',
  'two second 2nd ii zweite deuxieme segundo vtoroi',
  'three third 3rd iii dritte troisieme tercero tretii',
  'four fourth 4th iv vierte quatrieme cuarto',
  'five fifth 5th v funfte cinquieme quinto',
  'six sixth 6th vi sechste sixieme sexto',
  'seven seventh 7th vii siebte septieme septimo',
  'eight eighth 8th viii achte huitieme octavo',
  'nine ninth 9th ix neunte neuvieme noveno',
  'ten tenth 10th x zehnte dixieme decimo',
  'eleven eleventh xi',
  'twelve twelfth xii',
];

const words = (text: string): string[] => text.split(/[\s|]+/).filter((word) => word !== '');
const forms = new Set(words(FORMS).filter((word) => !['z', 'de', 'l', 'c'].includes(word)));
const trade = new Set(words(TRADE));
const numbers = new Map(
  NUMBERS.flatMap((line, value) => line.split(' ').map((word) => [word, String(value)] as const)),
);
/** Forms that are written without a blank behind the name; long enough not to be the end of a word. */
const GLUED = /^(.{4,}?)(llc|ltd|gmbh|inc|corp|pjsc|ojsc|sarl|ooo|oao|zao|limited)$/;

/** True for "LLC", "Aktiengesellschaft" and the like, folded. */
export function isLegalForm(word: string): boolean {
  return forms.has(word);
}

/** True for a word that many companies of a trade have in their name. */
export function isTradeWord(word: string): boolean {
  return trade.has(word) || trade.has(ALIKE.get(word) ?? '');
}

/** One spelling for words that mean the same: "intl" is "international". */
export function tradeWord(word: string): string {
  return ALIKE.get(word) ?? word;
}

/** The number that a word stands for, in digits: "2nd", "second" and "II" are 2. Null for any other word. */
export function numberIn(word: string): string | null {
  const ordinal = /^0*(\d+)(?:st|nd|rd|th|te|er|eme|e)?$/.exec(word);
  return ordinal?.[1] ?? numbers.get(word) ?? null;
}

/** The name without the form of law that is glued to its end, or null. */
export function withoutGluedForm(word: string): string | null {
  return GLUED.exec(word)?.[1] ?? null;
}
