/** Who appears in the examples: documents with right check digits, of nobody. */
export const maria = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;
export const company = {
  fullName: 'Clínica Boa Vista Ltda',
  document: { type: 'CNPJ', number: '11222333000181' },
} as const;
export const mariasBank = { ispb: '60701190', accountNumber: '123456-7', branchNumber: '0001' } as const;

export function brl<V extends string>(value: V): { readonly currency: 'BRL'; readonly value: V } {
  return { currency: 'BRL', value };
}
