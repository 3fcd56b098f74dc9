/** Latin letters that Unicode does not decompose into a plain letter and its mark. */
const letters: Readonly<Record<string, string>> = {
  Ø: 'O',
  ø: 'o',
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ð: 'D',
  ð: 'd',
  Þ: 'TH',
  þ: 'th',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  ẞ: 'SS',
  ß: 'ss',
  ı: 'i',
};
const undecomposed = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');

/**
 * Returns a text in printable ASCII, as a BR Code carries names and cities: letters lose their accents, typographic
 * dashes and quotes become the ASCII ones, and several blanks become one. Other characters are dropped, so the result
 * may be empty.
 */
export function asciiText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(undecomposed, (letter) => letters[letter] ?? '')
    .replaceAll(/[‐-―−]/g, '-')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
