/** Given names of Arabic, Hebrew and Turkish origin; one name a line, in its spellings. */
export const ARABIC_NAMES = `
abd abdul abdel abdal عبد
muhammad mohammed mohamed mohammad mohamad muhammed mohamud muhamed mohd mehmet mohand محمد | mo hamada
mahmud mahmoud mehmood mahmood محمود
ahmad ahmed achmed ahmet ahmadu احمد
hamid hameed حامد حميد
hamad hamed حمد
ali aly ally علي
hasan hassan hasen حسن
husayn hussein husain hossein hussain hosein husein huseyin حسين
umar omar omer عمر
amr amro عمرو
amir ameer emir امير
uthman osman othman usman ousmane عثمان
yusuf youssef yousef yousif yusef josef joseph jusuf yousuf iosif يوسف | joe jo
ibrahim ebrahim ibrahem abraham ابراهيم | ibro
ismail ismael esmail ismaeel اسماعيل
ishaq isaac ishak اسحاق
yaqub yacoub jakub jacob jakob yakov yaakov يعقوب
musa moussa mousa mose موسى
isa issa eisa عيسى
dawud daoud david dawood davud داود | dave davy
sulayman suleiman sulaiman soliman solomon suleyman سليمان
khalid khaled khalied halid خالد
khalida khaleda خالدة
khalil khaleel halil خليل
rashid rasheed rachid راشد رشيد
rashad رشاد
jamal gamal djamal cemal جمال
jamil jameel gamil cemil جميل
jamila jameela جميلة
karim kareem kerim كريم
karam كرم
salim saleem selim سالم سليم
salih saleh صالح
salah صلاح
salam سلام
salman سلمان
samir sameer سمير
samira sameera سميرة
said saeed sayed sayyid syed saed saiid سعيد سيد
saad sad سعد
nasir nasser naser nasr ناصر نصر
nazir nadhir نذير
bashir basheer beshir بشير
bashar بشار
mustafa mostafa moustafa mustapha مصطفى
mansur mansour منصور
marwan مروان
hamza hamzah همزة حمزة
habib حبيب
hakim hakeem حكيم
halim حليم
hani هاني
harun haroun aaron aron هارون
hisham hicham هشام
idris idriss ادريس
imad emad عماد
jafar jaafar gafar cafer جعفر
jabir jaber gaber جابر
kamal kemal كمال
kamil kamel camille كامل
latif لطيف
latifa لطيفة
majid maged mecit ماجد مجيد
malik malek مالك
munir mounir منير
murad mourad مراد
nabil نبيل
nur nour noor نور
qasim qasem kassem kasim ghassem gasem قاسم
rami رامي
ramzi ramzy رمزي
riyad riad ryad رياض
sami سامي
sharif sherif cherif شريف
tariq tarek tareq tarik طارق
walid waleed وليد
yahya yehia yahia يحيى
yasin yassin yaseen yassine ياسين
yasir yasser yaser ياسر
zaid zayd zeid زيد
zakariya zakaria zekeriya زكريا
zayn zain zein زين
abdullah abdallah abdulla abdellah abdoulaye عبدالله
fatima fatimah fatma fatemeh fatoumata فاطمة
aisha aysha ayesha aicha ayse عائشة
khadija khadijah hatice خديجة
maryam mariam meryem miriam مريم
zaynab zainab zeinab zeynep زينب
layla leila laila leyla ليلى
amina aminah emine امينة
amin ameen امين
hasna حسناء
osama usama oussama اسامة
muammar moammar mouammar معمر
ayman aiman ايمن
anwar enver انور
adnan عدنان
akram اكرم
ashraf اشرف
aziz azeez عزيز
badr bader بدر
bilal belal بلال
faisal faysal feisal فيصل
faruq farouk farooq faruk فاروق
fahd fahad فهد
hadi هادي
ghazi غازي
ihsan احسان
jihad cihad جهاد
`;
