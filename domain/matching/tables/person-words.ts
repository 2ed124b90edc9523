/** Words of persons' names that say little: titles, particles, and names that very many people have. */
const TITLES = `
mr mrs ms miss dr doctor prof professor sir dame lord lady hajji haji hadji hajj al-hajj sheikh sheik shaikh shaykh cheikh
mullah maulavi mawlawi mawlavi maulana mufti imam ayatollah hojjatoleslam general gen colonel col major maj captain capt
lieutenant lt sergeant sgt admiral commander brigadier president minister jr sr junior senior iii esq phd md eng engineer
herr frau madame monsieur mme mlle don dona senor senora señor señora sayyida
`;

const PARTICLES = `
al el ul ur as an ad bin ben ibn bint binti ibnt ould wuld abu abou bu umm
de der den di da do dos das del della du des la le las los van von zu zur ten ter te y e af av
`;

const COMMON = `
muhammad mohammed mohamed mohammad mohamad muhammed mohamud mehmet ahmad ahmed ali aly hasan hassan husayn hussein husain hossein
hussain umar omar abdullah abdallah abdul abd rahman aziz ibrahim ebrahim yusuf youssef yousef khalid khaled said saeed sayed salim
saleh salih mustafa mahmud mahmoud karim khan singh kumar shah hussaini islam rahim hamid jamal nasir nasser malik
john james david michael robert william maria jose juan carlos luis antonio anna peter thomas martin daniel paul george
smith johnson williams brown jones miller davis wilson taylor anderson moore jackson white harris clark lewis walker hall
garcia rodriguez martinez hernandez lopez gonzalez perez sanchez ramirez torres flores rivera gomez diaz fernandez cruz reyes
ivan sergei sergey alexander aleksandr vladimir dmitry andrei alexey nikolai mikhail elena olga tatiana natalia
ivanov ivanova petrov petrova sidorov smirnov smirnova kuznetsov popov popova sokolov lebedev kozlov novikov morozov volkov
muller mueller schmidt schneider fischer weber meyer wagner becker schulz hoffmann bauer koch richter klein wolf
rossi russo ferrari bianchi romano silva santos oliveira souza pereira costa
kim lee park choi nguyen tran le pham hoang wang li zhang liu chen yang huang zhao wu zhou
cohen levy mizrahi begum khatun bibi kaya yilmaz demir ozturk
`;

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/));
const titles = words(TITLES);
const particles = words(PARTICLES);
const common = words(COMMON);

/** True for "Dr", "Hajji" and the like: they are no part of the name. */
export function isTitle(word: string): boolean {
  return titles.has(word);
}

/** True for "al", "bin", "van" and the like, which are often left out. */
export function isParticle(word: string): boolean {
  return particles.has(word);
}

/** True for a name that very many people have, so that meeting it says little. */
export function isCommonName(word: string): boolean {
  return common.has(word);
}
