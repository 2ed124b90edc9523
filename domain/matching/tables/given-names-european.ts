/** Given names of Europe and America; one name a line, in its spellings and forms, and after the bar its short forms. */
export const EUROPEAN_NAMES = `
alexander aleksandr alexandr aleksander alexandre alessandro alejandro aleksandar oleksandr iskandar iskander александр олександр аляксандр | alex sasha sascha sanya alec alek shura
alexandra aleksandra alessandra alejandra oleksandra александра олександра | alex sasha sandra
alexei aleksei alexey aleksey alexej oleksiy oleksii alexis алексей олексій | alyosha lyosha
andrei andrey andrew andrej andriy andreas andre andreu andrea андрей андрій | andy drew
anders
anatoly anatoliy anatoli anatolii anatol анатолий анатолій | tolya
anton antony anthony antonio antoine antonin антон | tony toni
antonia antonina
boris борис
bogdan bohdan богдан
denis dennis denys денис
dmitry dmitri dmitriy dmitrii dimitri dmytro dimitrij dimitrios дмитрий дмитро | dima mitya
eugene evgeny evgeni evgeniy yevgeny yevgeni yevhen evgenii jewgeni евгений євген | zhenya gene
evgenia yevgenia evgeniya yevgeniya eugenia евгения | zhenya
fyodor fedor fiodor theodor theodore teodor федор | ted teddy fedya theo
gennady gennadi gennadiy gennadii геннадий
georgy georgi georgiy george georg georgios giorgos yiorgos yorgos giorgi jorge giorgio georgii георгий | yura
yuri yury yuriy juri jurij iurii юрий юрій | yura
grigory grigori grigoriy gregory gregor grigorii григорий | greg grisha
igor ihor игорь ігор
ivan ioan иван іван | vanya
ivana
john johann johannes jon jonny | johnny jack jock
jonathan johnathan jonathon | jon
jan
jana
joan
joanna johanna
jane
janet
ilya ilia iliya илья
konstantin constantin constantine costantino konstantinos константин | kostya kostas
leonid леонид
lev leo
maxim maksim maksym maxime максим | max
maximilian | max
michael mikhail mikhael michail michel mihail miguel mykhailo mikael mychajlo миха михаил михайло | mike misha mick mickey micha
michaela
nicholas nikolai nikolay nikolaj nicolas nicolai mykola nikolaos nikola nicola niccolo николай микола | nick kolya niko nico klaus
nicole
oleg oleh олег
pavel pawel paul paulo paolo pavlo pablo павел павло | pasha
paula paola pavla
peter petr pyotr piotr petro pieter pietro pedro pjotr петр пётр петро | pete petya
petra
roman роман
ruslan руслан
sergei sergey serge sergio sergii serhiy serhii sergej сергей сергій | seryozha
stanislav stanislaw станислав | slava stas
stepan stephen steven stefan stephan stefano esteban etienne stepan степан | steve
stephanie stefania
svetlana svitlana светлана | sveta
tatiana tatyana tetiana tatjana татьяна | tanya tania
timur тимур
vadim vadym вадим
valentin валентин
valentina валентина
valery valeri valeriy valerii валерий
valeria
vasily vasili vasiliy vassili vasyl wassily vasilii basil василий | vasya
viktor victor wiktor виктор віктор | vitya vic
victoria viktoria виктория | vicky vika
vitaly vitali vitaliy vitalii виталий
vladimir volodymyr wladimir uladzimir vladimír владимир володимир | vova volodya vlad
vladislav wladyslaw владислав | vlad slava
vyacheslav viacheslav wjatscheslaw вячеслав | slava
yaroslav iaroslav jaroslav ярослав | slava
yulia julia yuliya julija julie iulia giulia юлия юлія
julian julien giuliano
ekaterina catherine katherine kateryna katarina katharina caterina catalina kathryn catharine екатерина катерина | kate katie kathy katya cathy katja kitty
elena yelena helena helen olena елена олена | lena nelly
elizabeth elisabeth elisabetta elizaveta yelizaveta | liz lizzie beth betty eliza lisa liza bess
irina iryna irene ирина | ira
olga olha ольга
natalia natalya nataliya natalie nathalie наталья | natasha
marina марина
maria marie mary marija mariya мария марія | masha molly polly mimi
mario
marius
mariana marianna
marian
mark marc marco marko marcus markus
martin
martina
anna ann anne hanna hannah ana анна | annie anya
anastasia anastasiya анастасия | nastya
anita
annette
galina halyna галина
ludmila lyudmila людмила
larisa larissa
nadezhda nadia nadya
nina
oksana oxana
daniel danil danilo danylo daniil | dan danny
daniela daniella danielle
gabriel | gabe
gabriela gabriella gabrielle
christian kristian cristian | chris
christina christine kristina cristina kristine | chris tina christy
christopher kristoffer cristobal christoph christophe | chris kit topher
william wilhelm guillermo willem guillaume guglielmo | bill will billy willy liam
robert roberto ruprecht | bob bobby rob robbie bert
roberta
richard ricardo riccardo | dick rick ricky rich
james jaime | jim jimmy jamie
jose josé joze | pepe
thomas tomas tomasz tommaso toma | tom tommy
edward eduard eduardo edouard edvard | ed eddie ted ned teddy
henry heinrich henri enrique enrico hendrik henryk | harry hank heinz
harold harald | harry hal
charles carlos carlo karl carl karel | charlie chuck
carla karla
carol carole
caroline carolina karolina
francis francisco francesco franz frank francois | paco pancho frankie
frances francesca francisca | fran
frederick friedrich frederic federico fredrik | fred freddy fritz
louis luis luigi ludwig lewis | lou louie
louise luisa louisa
lawrence laurence lorenzo laurent lars | larry
laura
laurie
raymond ramon raimund | ray
ronald | ron ronnie
samuel shmuel | sam sammy
samantha | sam
benjamin binyamin beniamino בנימין | ben benny bibi
moses moshe moises משה
abigail | abby gail
albert alberto | al bert
alfred alfredo | alf fred
alan allan allen alain
arthur arturo artur | art
artyom artem
barbara varvara | barb babs
bernard bernhard bernardo | bernie
brian bryan
claude
claudia
claudio
david דוד
deborah debora | debbie deb
donald | don donny
dorothy dorothea | dot dolly
douglas | doug
eleanor eleonora leonora | ellie nora
emil
emilia emily
emma
eric erik erich
erica erika
ernest ernesto ernst
eva eve
evan
franklin | frank
gerald gerard gerhard gerardo | gerry jerry
geoffrey jeffrey gottfried | jeff geoff
gertrude | trudy
giovanni | gianni
giuseppe | beppe
gustav gustavo
hans
harriet | hattie
heather
hugo
hugh
isabel isabella isabelle | bella izzy
jacques
jean
jeremy jeremiah | jerry
jessica | jess jessie
joshua yehoshua | josh
judith | judy
juan
juana
justin
justina
karen
kenneth | ken kenny
kevin
lucas lukas luca luka
lucia lucy
magdalena madeleine | magda lena
manuel emmanuel immanuel | manny
manuela emanuela
margaret margarita margarete marguerite margherita | maggie peggy meg greta rita marge daisy
matthew matthias mateo matteo matthieu mateusz matvei | matt
maurice mauricio
miriam
nathan
nathaniel nathanael | nate
oliver olivier
olivia
oscar oskar
pamela | pam
patricia | pat patty tricia
patrick patricio | pat paddy
philip phillip filip philippe felipe filippo | phil
rachel raquel
ralph rolf
raphael rafael raffaele | rafa
rebecca | becky
roger rogelio
roland rolando
rose rosa
ruth
sara sarah
sebastian | seb
simon simeon semyon semen
simone simona
sophia sofia sophie | sonya
susan suzanne susanna | sue susie
teresa theresa therese | terry tess
timothy timofei | tim timmy
ursula
veronica veronika | ronnie
vincent vincenzo vicente | vince
virginia | ginny
walter | walt wally
zachary | zach zack
`;
