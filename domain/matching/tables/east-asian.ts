/** Family names of China, Korea and Japan, in the spellings that passports and lists use. */

/** Pinyin first, then Wade-Giles, Cantonese, Hokkien. */
const CHINESE = `
wang wong ong|li lee|zhang chang cheung teo|liu lau liew|chen chan tan|yang yeung young yeo|huang wong ng hwang|zhao chao chiu
wu ng woo goh|zhou chou chow chew|xu hsu tsui koh|sun suen|ma mah|zhu chu choo|hu wu woo|guo kuo kwok quek|he ho|lin lam lim
gao kao ko|luo lo law|zheng cheng chang|liang leung neo|xie hsieh tse|song sung soong|tang tong|han hon|feng fung|deng teng tang
cao tsao|peng pang|zeng tseng tsang|xiao hsiao siu|tian tien tin|dong tung|pan poon pun|yuan yuen|cai tsai choi chua|jiang chiang kong
yu yue|du tu to|ye yeh yip ip yap|cheng ching|wei ngai|su so|lu lo luk loke|ding ting|ren jen yam|shen sum sim|yao yiu|xi hsi
mao mo|ouyang auyeung|qian chien chin|kong kung hung|bai pai pak|meng mang|qin chin chun|shi shih sze|hou hau|xiong hsiung|jin chin kam
wen man|fang fong|jia chia|xia hsia ha|hao|shao siu|wan|fan|tan tam|fu foo|cui tsui|gu ku koo|hong hung|qiu chiu yau|lai|long lung
duan tuan|lei lui|yan yen ngan|yin wan|chang|sima szema|zhuge chuko|situ szeto|mu|pu|niu|geng|nie|kang hong|xing hsing|zuo|zhan chan
`;

const KOREAN = `
kim gim|lee yi ri rhee rhie i|park pak bak bag|choi choe|jung jeong chong chung|kang gang|cho jo|yoon yun|jang chang|lim im rim
han|oh o|seo suh so|shin sin|kwon gwon|hwang|ahn an|song|ryu yoo yu lyu|hong|jeon chon jun chun|ko go koh|moon mun|yang ryang|son sohn
bae pae|baek paik paek baeg|heo ho hur|nam|shim sim|noh no ro roh|ha|kwak gwak gwag|sung song seong|cha|joo ju chu|woo u|koo ku gu|min
na ra|jin chin|ji chi|um om eom|chae|won|cheon chon|bang pang|hyun hyon hyeon|ham|byun pyon|yeom ryom|yeo ryo|choo chu|do to|so|suk sok seok seog|ban pan|tae|pyo|maeng|seol sol|gil kil|ok|myong myung|bong pong|tak
`;

/** Characters of Japanese family and given names that are not read as in Chinese. */
const JAPANESE = `
山田 yamada|佐藤 sato|鈴木 suzuki|高橋 takahashi|田中 tanaka|伊藤 ito|渡辺 watanabe|渡邊 watanabe|山本 yamamoto|中村 nakamura
小林 kobayashi|加藤 kato|吉田 yoshida|佐々木 sasaki|山口 yamaguchi|松本 matsumoto|井上 inoue|木村 kimura|清水 shimizu|山崎 yamazaki
阿部 abe|安倍 abe|池田 ikeda|橋本 hashimoto|石川 ishikawa|前田 maeda|藤田 fujita|後藤 goto|岡田 okada|長谷川 hasegawa|村上 murakami
近藤 kondo|石井 ishii|斎藤 saito|坂本 sakamoto|遠藤 endo|青木 aoki|藤井 fujii|西村 nishimura|福田 fukuda|太田 ota|三浦 miura
太郎 taro|次郎 jiro|一郎 ichiro|健一 kenichi|健 ken|誠 makoto|浩 hiroshi|隆 takashi|正 tadashi|明 akira|花子 hanako|恵子 keiko
洋子 yoko|和子 kazuko|由美 yumi|直樹 naoki|大輔 daisuke|翔 sho|健太 kenta|晋三 shinzo
`;

/** Traditional characters of names and their simplified forms. */
const TRADITIONAL =
  '習习張张陳陈劉刘楊杨黃黄趙赵吳吴孫孙馬马鄭郑謝谢許许馮冯鄧邓蕭萧葉叶盧卢蘇苏蔣蒋賈贾閻阎羅罗韓韩錢钱湯汤喬乔龍龙萬万顧顾' +
  '鍾钟譚谭賀贺龔龚嚴严歐欧陽阳國国偉伟華华東东軍军強强勝胜傑杰輝辉麗丽紅红蘭兰鳳凤蓮莲榮荣興兴學学義义長长寶宝瑩莹貴贵' +
  '飛飞豐丰遠远達达鋒锋銘铭鑫鑫剛刚鵬鹏維维進进賢贤樂乐慶庆雲云靜静穎颖劍剑澤泽濤涛潤润禮礼愛爱嬌娇蕾蕾倫伦齊齐';

type Readings = ReadonlyMap<string, readonly string[]>;

function readings(text: string): Readings {
  const found = new Map<string, string[]>();
  for (const line of text.trim().split(/[|\n]/)) {
    const spellings = line.trim().split(' ');
    for (const spelling of spellings)
      found.set(spelling, [...(found.get(spelling) ?? []), spellings[0] ?? spelling]);
  }
  return found;
}

const chinese = readings(CHINESE);
const korean = readings(KOREAN);
const japanese = JAPANESE.trim()
  .split(/[|\n]/)
  .map((line) => line.trim().split(' '))
  .map(([han = '', latin = '']) => [han, latin] as const);
const simplified = new Map<string, string>();
for (let at = 0; at + 1 < TRADITIONAL.length; at += 2)
  simplified.set(TRADITIONAL[at] ?? '', TRADITIONAL[at + 1] ?? '');

/** The families, in Pinyin, that a spelling may stand for; none for a word that is no Chinese family name. */
export function chineseFamilies(word: string): readonly string[] {
  return chinese.get(word) ?? [];
}

/** The same for Korean families. */
export function koreanFamilies(word: string): readonly string[] {
  return korean.get(word) ?? [];
}

/** The Japanese reading of a name in Chinese characters, if both its parts are known. */
export function japaneseReading(han: string): readonly string[] | null {
  for (const [family, latin] of japanese) {
    if (!han.startsWith(family) || han === family) continue;
    const given = japanese.find(([rest]) => rest === han.slice(family.length));
    if (given !== undefined) return [latin, given[1]];
  }
  return null;
}

/** Chinese characters in their simplified form, as far as names need it. */
export function simplify(han: string): string {
  return [...han].map((character) => simplified.get(character) ?? character).join('');
}
