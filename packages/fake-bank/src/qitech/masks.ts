// How the bank hides documents, as its examples show them.

/** Hides the document of a party of a payment: all but the digits in the middle, `***02502000***`. */
export function maskedParty(document: string): string {
  return `***${document.slice(3, -3)}***`;
}

/** Hides the document of a key's owner: `***.141.857-**` of a CPF, `**.458.****\/0001-**` of a CNPJ. */
export function maskedOwner(document: string): string {
  return document.length === 11
    ? `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**`
    : `**.${document.slice(2, 5)}.****/${document.slice(8, 12)}-**`;
}

/** Returns `natural` for the owner of a CPF, `legal` for that of a CNPJ. */
export function personType(document: string): 'natural' | 'legal' {
  return document.length === 11 ? 'natural' : 'legal';
}
