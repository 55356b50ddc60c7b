/**
 * Windows' numbers of languages (LANGIDs). Source: [MS-LCID]. Each line has a language, its primary number in hex, and its
 * regions in the order of their numbers from 1 on.
 */
const LANGUAGES = `
af 36 ZA; am 5e ET; ar 1 SA IQ EG LY DZ MA TN OM YE SY JO LB KW AE BH QA; as 4d IN; ba 6d RU; be 23 BY;
bg 2 BG; bn 45 IN BD; bo 51 CN; br 7e FR; ca 3 ES; co 83 FR; cs 5 CZ; cy 52 GB; da 6 DK; de 7 DE CH AT LU LI;
dsb 2e - DE; dv 65 MV; dz 51 - - BT; el 8 GR; en 9 US GB AU CA NZ IE ZA JM 029 BZ TT ZW PH ID HK IN MY SG AE;
es a - MX ES GT CR PA DO VE CO PE AR EC CL UY PY BO SV HN NI PR US 419 CU; et 25 EE; eu 2d ES; fa 29 IR;
fi b FI; fil 64 PH; fo 38 FO; fr c FR BE CA CH LU MC 029 RE CD SN CM CI ML MA HT; fy 62 NL; ga 3c - IE;
gd 91 GB; gl 56 ES; gn 74 PY; gsw 84 FR; gu 47 IN; haw 75 US; he d IL; hi 39 IN; hr 1a HR - - BA; hsb 2e DE;
hu e HU; hy 2b AM; id 21 ID; ig 70 NG; is f IS; it 10 IT CH; ja 11 JP; ka 37 GE; kk 3f KZ; kl 6f GL; km 53 KH;
kn 4b IN; ko 12 KR; kok 57 IN; ky 40 KG; lb 6e LU; lo 54 LA; lt 27 LT; lv 26 LV; mi 81 NZ; mk 2f MK; ml 4c IN;
mn 50 MN; mr 4e IN; ms 3e MY BN; mt 3a MT; my 55 MM; nb 14 NO; ne 61 NP IN; nl 13 NL BE; nn 14 - NO; nso 6c ZA;
oc 82 FR; om 72 ET; or 48 IN; pa 46 IN; pl 15 PL; prs 8c AF; ps 63 AF; pt 16 BR PT; rm 17 CH; ro 18 RO MD;
ru 19 RU MD; rw 87 RW; sa 4f IN; se 3b NO SE FI; si 5b LK; sk 1b SK; sl 24 SI; so 77 SO; sq 1c AL; st 30 ZA;
sv 1d SE FI; sw 41 KE; syr 5a SY; ta 49 IN LK; te 4a IN; th 1e TH; ti 73 ET ER; tk 42 TM; tn 32 ZA BW;
tr 1f TR; ts 31 ZA; tt 44 RU; ug 80 CN; uk 22 UA; ur 20 PK IN; ve 33 ZA; vi 2a VN; wo 88 SN; xh 34 ZA;
yo 6a NG; zh 4 TW CN HK SG MO; zu 35 ZA`;

/** Languages with scripts, and those that share their primary number with others. */
const OTHERS: Readonly<Record<string, number>> = {
  'az-latn-az': 0x42c,
  bs: 0x141a,
  'bs-latn-ba': 0x141a,
  dsb: 0x82e,
  dz: 0xc51,
  hr: 0x41a,
  hsb: 0x42e,
  nb: 0x414,
  nn: 0x814,
  no: 0x414,
  'no-no': 0x414,
  sr: 0x241a,
  'sr-cyrl': 0x281a,
  'sr-cyrl-rs': 0x281a,
  'sr-latn': 0x241a,
  'sr-latn-rs': 0x241a,
  'uz-latn-uz': 0x443,
  'zh-hans': 0x0004,
  'zh-hant': 0x7c04,
};

const NUMBERS = new Map(
  LANGUAGES.split(';').map((line) => {
    const [language = '', primary = '', ...regions] = line.trim().toLowerCase().split(' ');
    return [language, { primary: Number.parseInt(primary, 16), regions }] as const;
  }),
);

/**
 * The LANGID of a culture, such as `de-AT`; undefined if Windows has none. A language without a region has the neutral
 * number, to which Windows falls back from every region.
 */
export function languageId(culture: string): number | undefined {
  const name = culture.toLowerCase();
  if (Object.hasOwn(OTHERS, name)) return OTHERS[name];
  const [language = '', region, ...rest] = name.split('-');
  const known = NUMBERS.get(language);
  if (known === undefined || rest.length > 0) return undefined;
  if (region === undefined) return known.primary;
  const index = region === '-' ? -1 : known.regions.indexOf(region);
  return index < 0 ? undefined : known.primary | ((index + 1) << 10);
}
