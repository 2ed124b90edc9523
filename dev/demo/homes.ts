/** Where the customers come from: names, places and words of several countries. Every person in here is invented. */

/** As it is written at home and, where that is not in Latin letters, as it is written in an email address. */
export type Name = string | readonly [written: string, latin: string];

export interface Home {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** BCP 47. */
  readonly locale: string;
  readonly first: readonly Name[];
  /** Those that women and men share. */
  readonly last: readonly Name[];
  readonly address: { readonly street: string; readonly postal_code: string; readonly city: string };
  /** What somebody from here would keep a foreign account in. */
  readonly currency: 'USD' | 'GBP' | 'CHF' | 'JPY';
  readonly words: {
    readonly household: string;
    readonly savings: string;
    readonly rent: string;
    readonly dinner: string;
    readonly gift: string;
  };
}

const words = (household: string, savings: string, rent: string, dinner: string, gift: string) => ({
  ...{ household, savings, rent, dinner, gift },
});
const place = (street: string, postal_code: string, city: string) => ({ street, postal_code, city });

/** A German bank: about a third of its customers live here. */
export const GERMANY: Home = {
  ...{ country: 'DE', locale: 'de-DE', currency: 'CHF' },
  first: ['Lena', 'Jonas', 'Käthe', 'Mirko', 'Frieda', 'Thies', 'Annika', 'Jörg', 'Wiebke', 'Emre'],
  last: [
    'Vogt',
    'Brandstätter',
    'Petersen',
    'Löffler',
    'Yıldız',
    'Kranz',
    'Hübner',
    'Sander',
    'Groß',
    'Eichhorn',
  ],
  address: place('Lindenweg', '04109', 'Leipzig'),
  words: words('Haushalt', 'Rücklagen', 'Miete', 'Abendessen', 'Geburtstagsgeschenk'),
};

export const ABROAD: readonly Home[] = [
  {
    ...{ country: 'FR', locale: 'fr-FR', currency: 'GBP' },
    first: ['Hélène', 'Théo', 'Margaux', 'Loïc', 'Solène', 'Bastien'],
    last: ['Lacombe', 'Périer', 'Bonnaud', 'Guérin', 'Tessier', 'Marchal'],
    address: place('rue des Tanneurs', '69005', 'Lyon'),
    words: words('Maison', 'Épargne', 'Loyer', 'Dîner', 'Cadeau d’anniversaire'),
  },
  {
    ...{ country: 'GR', locale: 'el-GR', currency: 'USD' },
    first: [
      ['Ελένη', 'eleni'],
      ['Νίκος', 'nikos'],
      ['Δήμητρα', 'dimitra'],
      ['Σταύρος', 'stavros'],
    ],
    last: [
      ['Οικονόμου', 'oikonomou'],
      ['Αλεξίου', 'alexiou'],
      ['Βασιλείου', 'vasileiou'],
      ['Θεοδώρου', 'theodorou'],
    ],
    address: place('Οδός Ερμού', '546 24', 'Θεσσαλονίκη'),
    words: words('Σπίτι', 'Αποταμίευση', 'Ενοίκιο', 'Βραδινό', 'Δώρο γενεθλίων'),
  },
  {
    ...{ country: 'GB', locale: 'en-GB', currency: 'GBP' },
    first: ['Imogen', 'Callum', 'Priya', 'Rhys', 'Fiona', 'Desmond'],
    last: ['Hartwell', 'Okafor', 'Pemberton', 'MacAllan', 'Whitlock', 'Prowse'],
    address: place('Mill Lane', 'BS1 4QA', 'Bristol'),
    words: words('Household', 'Rainy days', 'Rent', 'Dinner', 'Birthday present'),
  },
  {
    ...{ country: 'PL', locale: 'pl-PL', currency: 'USD' },
    first: ['Zofia', 'Paweł', 'Małgorzata', 'Łukasz', 'Jagoda', 'Wojciech'],
    last: ['Krawiec', 'Żurek', 'Dąbek', 'Pawlak', 'Gołąb', 'Wrona'],
    address: place('ulica Długa', '31-147', 'Kraków'),
    words: words('Dom', 'Oszczędności', 'Czynsz', 'Kolacja', 'Prezent urodzinowy'),
  },
  {
    ...{ country: 'UA', locale: 'uk-UA', currency: 'USD' },
    first: [
      ['Оксана', 'oksana'],
      ['Тарас', 'taras'],
      ['Ярина', 'yaryna'],
      ['Богдан', 'bohdan'],
    ],
    last: [
      ['Левченко', 'levchenko'],
      ['Гончар', 'honchar'],
      ['Мороз', 'moroz'],
      ['Сорока', 'soroka'],
    ],
    address: place('вулиця Зелена', '79005', 'Львів'),
    words: words('Дім', 'Заощадження', 'Оренда', 'Вечеря', 'Подарунок'),
  },
  {
    ...{ country: 'JP', locale: 'ja-JP', currency: 'JPY' },
    first: [
      ['美咲', 'misaki'],
      ['健太', 'kenta'],
      ['陽菜', 'hina'],
      ['大輔', 'daisuke'],
    ],
    last: [
      ['森下', 'morishita'],
      ['小川', 'ogawa'],
      ['竹内', 'takeuchi'],
      ['浜田', 'hamada'],
    ],
    address: place('寺町通', '604-0081', '京都市'),
    words: words('生活費', '貯金', '家賃', '夕食代', '誕生日プレゼント'),
  },
  {
    ...{ country: 'TR', locale: 'tr-TR', currency: 'USD' },
    first: ['Zeynep', 'Çağlar', 'Elif', 'Tuğrul', 'Gülşen'],
    last: ['Karadağ', 'Özkan', 'Şimşek', 'Altın', 'Ergün'],
    address: place('Çınar Sokak', '35220', 'İzmir'),
    words: words('Ev', 'Birikim', 'Kira', 'Akşam yemeği', 'Doğum günü hediyesi'),
  },
  {
    ...{ country: 'EG', locale: 'ar-EG', currency: 'USD' },
    first: [
      ['ليلى', 'layla'],
      ['كريم', 'karim'],
      ['نادية', 'nadia'],
      ['طارق', 'tarek'],
    ],
    last: [
      ['منصور', 'mansour'],
      ['الشامي', 'elshamy'],
      ['فوزي', 'fawzy'],
      ['حداد', 'haddad'],
    ],
    address: place('شارع النيل', '11511', 'القاهرة'),
    words: words('البيت', 'مدخرات', 'إيجار', 'عشاء', 'هدية'),
  },
  {
    ...{ country: 'IT', locale: 'it-IT', currency: 'CHF' },
    first: ['Chiara', 'Matteo', 'Ginevra', 'Nicolò', 'Rosaria', 'Dario'],
    last: ['Fontanelli', 'Esposti', 'Carboni', 'De Sanctis', 'Bellandi', 'Zanetti'],
    address: place('via dei Cerchi', '50122', 'Firenze'),
    words: words('Casa', 'Risparmi', 'Affitto', 'Cena', 'Regalo di compleanno'),
  },
  {
    ...{ country: 'SE', locale: 'sv-SE', currency: 'GBP' },
    first: ['Astrid', 'Björn', 'Maja', 'Åke', 'Linnéa'],
    last: ['Sjöberg', 'Åkerlund', 'Wallin', 'Ekström', 'Nyqvist'],
    address: place('Storgatan', '753 31', 'Uppsala'),
    words: words('Hushåll', 'Sparande', 'Hyra', 'Middag', 'Födelsedagspresent'),
  },
  {
    ...{ country: 'IN', locale: 'hi-IN', currency: 'USD' },
    first: [
      ['मीरा', 'meera'],
      ['अर्जुन', 'arjun'],
      ['कविता', 'kavita'],
      ['रोहन', 'rohan'],
    ],
    last: [
      ['देसाई', 'desai'],
      ['कुलकर्णी', 'kulkarni'],
      ['नायर', 'nair'],
      ['भट्ट', 'bhatt'],
    ],
    address: place('लक्ष्मी रोड', '411030', 'पुणे'),
    words: words('घर', 'बचत', 'किराया', 'रात का खाना', 'जन्मदिन का उपहार'),
  },
  {
    ...{ country: 'ES', locale: 'es-ES', currency: 'USD' },
    first: ['Lucía', 'Íñigo', 'Marisol', 'Joaquín', 'Nerea', 'Begoña'],
    last: ['Echeverría', 'Montalbán', 'Núñez', 'Garrido', 'Peñalver', 'Ibarra'],
    address: place('calle del Olmo', '46003', 'València'),
    words: words('Casa', 'Ahorros', 'Alquiler', 'Cena', 'Regalo de cumpleaños'),
  },
  {
    ...{ country: 'VN', locale: 'vi-VN', currency: 'USD' },
    first: ['Thảo', 'Minh', 'Hương', 'Quang'],
    last: ['Đặng', 'Phạm', 'Vũ', 'Lương'],
    address: place('phố Hàng Bông', '100000', 'Hà Nội'),
    words: words('Gia đình', 'Tiết kiệm', 'Tiền nhà', 'Bữa tối', 'Quà sinh nhật'),
  },
  {
    ...{ country: 'KR', locale: 'ko-KR', currency: 'USD' },
    first: [
      ['지우', 'jiwoo'],
      ['민준', 'minjun'],
      ['서연', 'seoyeon'],
      ['현우', 'hyunwoo'],
    ],
    last: [
      ['강', 'kang'],
      ['윤', 'yoon'],
      ['서', 'seo'],
      ['백', 'baek'],
    ],
    address: place('한빛로', '34127', '대전'),
    words: words('생활비', '저축', '월세', '저녁 식사', '생일 선물'),
  },
];
